import { useWindowEvent } from '@mantine/hooks';
import { type RefObject, useState } from 'react';

const steps: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
/** The class of a row's checkbox, by which the x key finds it. */
export const selectBoxClass = 'table-select';

const typedInto = `input:not(.${selectBoxClass} input), textarea, select, [contenteditable]`;

/**
 * j, k and the arrow keys move between rows, Enter opens a row, x selects it. j and k also work while nothing on the
 * page has the focus; an open modal has it.
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
    // Navigation moves the focus to <main>.
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

/** Does nothing if the row cannot be selected, because it has no checkbox then. */
function selectRow(row: Element) {
  row.querySelector<HTMLInputElement>(`.${selectBoxClass} input`)?.click();
}

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey;
