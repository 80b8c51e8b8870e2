import { randomId } from '@mantine/hooks';
import { type NotificationData, notifications, notificationsStore } from '@mantine/notifications';
import { createElement } from 'react';
import { ToastBody, type ToastExtras } from './toast-body.tsx';

export const keptToasts = 20;

// The stack that shows them is loaded with the first one; until then the store would queue all but five.
notificationsStore.updateState((state) => ({ ...state, limit: keptToasts }));

export function toastSuccess(words: string) {
  return show({ message: words, 'data-tone': 'good', autoClose: 5_000 });
}

/** A failure with something to do about it stays until it is closed. */
export function toastFailure(words: string, extras: ToastExtras = {}) {
  const id = randomId('toast-');
  const { retry, detail, reference } = extras;
  const close = () => notifications.hide(id);
  const message = createElement(ToastBody, { words, detail, reference, close, retry });
  return show({ id, message, 'data-tone': 'bad', role: 'alert', autoClose: retry ? false : 10_000 });
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
