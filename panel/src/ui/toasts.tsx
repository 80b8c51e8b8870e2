import { useNotifications } from '@mantine/notifications';
import { lazy, Suspense } from 'react';
import { useEverOpened } from './opening.ts';

const ToastStack = lazy(async () => ({ default: (await import('./toast-stack.tsx')).ToastStack }));

/** Shows toasts. Their code is loaded with the first one. */
export function Toasts() {
  const { notifications, queue } = useNotifications();
  const ever = useEverOpened(notifications.length + queue.length > 0);
  return (
    ever && (
      <Suspense>
        <ToastStack />
      </Suspense>
    )
  );
}
