import { useWindowEvent } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import { type Noun, formatCount } from './table/view.ts';
import './row-steps.css';

type Props = {
  noun: Noun;
  /** The rows of the list in their order. */
  ids: readonly string[];
  /** The row that is open. */
  id: string;
  onStep: (id: string) => void;
};

const typedInto = 'input, textarea, select, [contenteditable]';

/** Opens the next or previous row of a list, by button or by j and k. */
export function RowSteps({ noun, ids, id, onStep }: Props) {
  const place = ids.indexOf(id);
  const at = (step: number) => (place === -1 ? undefined : ids[place + step]);
  const [before, after] = [at(-1), at(1)];
  const go = (to: string | undefined) => to !== undefined && onStep(to);
  const start = useRef<HTMLDivElement>(null);
  // The focused element may have been removed with the previous row: keyboard users continue from here.
  useEffect(() => {
    if (document.activeElement === document.body) start.current?.focus();
  }, [id]);
  useWindowEvent('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
    if (ctrlKey || metaKey || altKey || !(target instanceof Element) || target.matches(typedInto)) return;
    if (key === 'j') go(after);
    if (key === 'k') go(before);
  });
  // A row that was opened by its URL and is not on this page has no neighbors.
  if (place === -1) return null;
  return (
    <div ref={start} className="row-steps" tabIndex={-1}>
      <span>{`${formatCount(place + 1)} of ${formatCount(ids.length)} on this page`}</span>
      <Button
        variant="default"
        aria-label={`Previous ${noun.one}`}
        disabledReason={before === undefined ? `This is the first ${noun.one} on this page.` : undefined}
        onClick={() => go(before)}
      >
        <IconChevronUp size={16} stroke={1.75} aria-hidden />
      </Button>
      <Button
        variant="default"
        aria-label={`Next ${noun.one}`}
        disabledReason={after === undefined ? `This is the last ${noun.one} on this page.` : undefined}
        onClick={() => go(after)}
      >
        <IconChevronDown size={16} stroke={1.75} aria-hidden />
      </Button>
    </div>
  );
}
