import { notifications } from '@mantine/notifications';
import { useEffect, useRef } from 'react';
import { toastFailure } from './toast.ts';

type Told = { code: string; words: string; reference: string | undefined };

/** Logs a failed call under its own message and says the same in a toast. */
export function tellFailure(message: string, { code, words, reference }: Told, retry?: () => void) {
  console.warn(message, words, reference ?? '');
  // Whoever is led to Login sees why nothing came, and can retry nothing there.
  if (code === 'SignInRequired') return undefined;
  return toastFailure(message, { detail: words, reference, retry });
}

type Asked = { error: Told | null; errorUpdatedAt: number; isSuccess: boolean; refetch: () => unknown };

/** Tells when what a screen shows could not be fetched, and takes it back once it could. */
export function useToldFailure(message: string, { error, errorUpdatedAt, isSuccess, refetch }: Asked) {
  const toast = useRef<string>(undefined);
  useEffect(() => {
    if (toast.current) notifications.hide(toast.current);
    toast.current = error ? tellFailure(message, error, () => void refetch()) : undefined;
    // A second failure with an equal error is told again; `isSuccess` takes the toast back.
  }, [message, error, errorUpdatedAt, isSuccess, refetch]);
}
