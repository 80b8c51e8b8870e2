import { useNotifications } from '@mantine/notifications';
import { lazy, Suspense } from 'react';
import { useEverOpened } from './opening.ts';

const ToastStack = lazy(async () => ({ default: (await import('./toast-stack.tsx')).ToastStack }));

/** Where toasts appear. Its code comes with the first of them. */
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
