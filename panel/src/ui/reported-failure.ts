import { notifications } from '@mantine/notifications';
import { useEffect, useRef } from 'react';
import { toastFailure } from './toast.ts';

type ReportedError = { code: string; words: string; reference: string | undefined };

/** Logs a failed call under its own message and says the same in a toast. */
export function reportFailure(message: string, failure: ReportedError, retry?: () => void) {
  logFailure(message, failure);
  const { code, words, reference } = failure;
  // Whoever is led to Login sees why nothing came, and can retry nothing there.
  if (code === 'SignInRequired') return undefined;
  return toastFailure(message, { detail: words, reference, retry });
}

function logFailure(message: string, { words, reference }: ReportedError) {
  console.warn(message, words, reference ?? '');
}

type QueryState = { error: ReportedError | null; errorUpdatedAt: number; isSuccess: boolean; refetch: () => unknown };

/**
 * Tells when what a screen shows could not be fetched, and takes it back once it could.
 * What is said in place, where nothing else could be shown, is only logged.
 */
export function useReportedFailure(message: string, asked: QueryState, { saidInPlace } = { saidInPlace: false }) {
  const { error, errorUpdatedAt, isSuccess, refetch } = asked;
  const toast = useRef<string>(undefined);
  const again = useRef(refetch);
  useEffect(() => {
    again.current = refetch;
  }, [refetch]);
  useEffect(() => {
    if (toast.current) notifications.hide(toast.current);
    toast.current = undefined;
    if (error && saidInPlace) logFailure(message, error);
    else if (error) toast.current = reportFailure(message, error, () => void again.current());
    // A second failure with an equal error is told again; `isSuccess` takes the toast back.
  }, [message, error, errorUpdatedAt, isSuccess, saidInPlace]);
}
