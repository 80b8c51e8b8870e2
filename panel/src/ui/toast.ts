import { randomId } from '@mantine/hooks';
import { type NotificationData, notifications, notificationsStore } from '@mantine/notifications';
import { createElement } from 'react';
import { ToastBody, type ToastExtras } from './toast-body.tsx';

export const keptToasts = 20;

// The component that shows toasts is loaded with the first one; until then the store would queue all but five.
notificationsStore.updateState((state) => ({ ...state, limit: keptToasts }));

export function toastSuccess(message: string) {
  return show({ message, 'data-tone': 'good', autoClose: 5_000 });
}

/** Shows a failure. A toast with a Retry button stays until it is closed. */
export function toastFailure(message: string, extras: ToastExtras = {}) {
  const id = randomId('toast-');
  const { retry, detail, reference } = extras;
  const close = () => notifications.hide(id);
  const body = createElement(ToastBody, { message, detail, reference, close, retry });
  return show({ id, message: body, 'data-tone': 'bad', role: 'alert', autoClose: retry ? false : 10_000 });
}

function show(notification: NotificationData) {
  const id = notifications.show({
    withBorder: true,
    closeButtonProps: { 'aria-label': 'Close notification' },
    ...notification,
  });
  notifications.updateState(notificationsStore, (all) => all.slice(-keptToasts));
  return id;
}
