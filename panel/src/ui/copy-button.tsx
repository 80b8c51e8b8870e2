import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { Button } from './button.tsx';

type Props = {
  label: string;
  /** Called on each click. */
  text: () => string;
};

/** Copies a longer text. Browsers refuse that without a secure connection, and then the label says so. */
export function CopyButton({ label, text }: Props) {
  const { copied, copy, error } = useClipboard({ timeout: 1_500 });
  const Mark = copied ? IconCheck : IconCopy;
  return (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={<Mark size={14} aria-hidden />}
      onClick={() => copy(text())}
    >
      <span aria-live="polite">{copied ? 'Copied' : error ? "Couldn't copy" : label}</span>
    </Button>
  );
}
