import { Notifications } from '@mantine/notifications';
import { keptToasts } from './toast.ts';

export function ToastStack() {
  return <Notifications position="bottom-right" limit={keptToasts} containerWidth={400} />;
}
