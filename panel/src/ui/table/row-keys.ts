import { useWindowEvent } from '@mantine/hooks';
import { type RefObject, useState } from 'react';

const steps: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
/** Marks the box that selects a row, so that a key can press it. */
export const selectBoxClass = 'table-select';

const typedInto = `input:not(.${selectBoxClass} input), textarea, select, [contenteditable]`;

/**
 * j, k and the arrows walk over the rows, Enter opens one, x selects it. They work from anywhere on the page as long as nothing
 * else has the focus; with a modal open the focus is inside it.
 */
export function useRowKeys(body: RefObject<HTMLElement | null>, open?: (index: number) => void) {
  const [active, setActive] = useState(0);

  const focusRow = (index: number) => {
    const rows = body.current?.querySelectorAll<HTMLElement>('[data-row]');
    const row = rows?.[Math.max(0, Math.min(index, rows.length - 1))];
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  };

  useWindowEvent('keydown', (event) => {
    const { target, key } = event;
    if (event.defaultPrevented || hasModifier(event) || !(target instanceof Element)) return;
    const inside = body.current?.contains(target) ?? false;
    // Whoever came from another page stands on this one as a whole.
    const atRest = target === document.body || target.matches('main');
    if ((!inside && !atRest) || target.matches(typedInto)) return;
    const step = steps[key];
    if (step !== undefined && (inside || key.length === 1)) {
      event.preventDefault();
      focusRow(inside ? active + step : active);
    } else if (target.matches('[data-row]') && (key === 'Enter' || key === 'x')) {
      event.preventDefault();
      if (key === 'Enter') open?.(active);
      else selectRow(target);
    }
  });

  return { active, setActive };
}

/** A row that cannot be selected has no box. */
function selectRow(row: Element) {
  row.querySelector<HTMLInputElement>(`.${selectBoxClass} input`)?.click();
}

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey;
