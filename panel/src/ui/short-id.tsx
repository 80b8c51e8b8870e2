import { VisuallyHidden } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import './short-id.css';

const keptAtStart = 6;
const keptAtEnd = 4;

function shortened(id: string) {
  return id.length <= keptAtStart + keptAtEnd + 1 ? id : `${id.slice(0, keptAtStart)}…${id.slice(-keptAtEnd)}`;
}

/** An id or wallet, shortened in the middle; a click copies all of it. */
export function ShortId({ id }: { id: string }) {
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  const Mark = copied ? IconCheck : IconCopy;
  return (
    <button
      type="button"
      className="short-id"
      title={id}
      data-copied={copied || undefined}
      onClick={(event) => {
        // Inside a clickable row the click means "copy", not "open".
        event.stopPropagation();
        copy(id);
      }}
    >
      {shortened(id)}
      <Mark className="short-id-mark" aria-hidden />
      <VisuallyHidden aria-live="polite">{copied ? 'copied' : 'copy'}</VisuallyHidden>
    </button>
  );
}
