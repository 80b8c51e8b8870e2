import { notifications } from '@mantine/notifications';
import { useEffect, useRef } from 'react';
import { toastFailure } from './toast.ts';

type ReportedError = { code: string; message: string; reference: string | undefined };

/** Logs a failed call and shows it in a toast. Returns the id of the toast, if there is one. */
export function reportFailure(title: string, failure: ReportedError, retry?: () => void) {
  logFailure(title, failure);
  const { code, message, reference } = failure;
  // The session has ended: the panel redirects to Login, where a retry makes no sense.
  if (code === 'SignInRequired') return undefined;
  return toastFailure(title, { detail: message, reference, retry });
}

function logFailure(title: string, { message, reference }: ReportedError) {
  console.warn(title, message, reference ?? '');
}

type QueryState = { error: ReportedError | null; errorUpdatedAt: number; isSuccess: boolean; refetch: () => unknown };

/**
 * Shows a toast when a query of a screen fails, and hides it once the query succeeds.
 * With `shownInline` the screen itself shows the error in place of the content, so it is only logged.
 */
export function useReportedFailure(title: string, query: QueryState, { shownInline } = { shownInline: false }) {
  const { error, errorUpdatedAt, isSuccess, refetch } = query;
  const toast = useRef<string>(undefined);
  const latestRefetch = useRef(refetch);
  useEffect(() => {
    latestRefetch.current = refetch;
  }, [refetch]);
  useEffect(() => {
    if (toast.current) notifications.hide(toast.current);
    toast.current = undefined;
    if (error && shownInline) logFailure(title, error);
    else if (error) toast.current = reportFailure(title, error, () => void latestRefetch.current());
    // `errorUpdatedAt` reports a repeated failure with an equal error; `isSuccess` hides the toast.
  }, [title, error, errorUpdatedAt, isSuccess, shownInline]);
}
