import type { KeyboardEvent } from 'react';

const levelOf = (item: Element) => Number(item.getAttribute('aria-level'));

function around(item: Element) {
  const items = [...(item.closest('[role="tree"]')?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
  return { items, at: items.findIndex((one) => one === item) };
}

/** Up and down through everything in sight, whatever its level; Home and End. What it does not know it leaves alone. */
export function moveThroughTree(event: KeyboardEvent<HTMLElement>) {
  if (!(event.target instanceof Element)) return;
  const { items, at } = around(event.target);
  const targets: Record<string, HTMLElement | undefined> = {
    ArrowDown: items[at + 1],
    ArrowUp: items[at - 1],
    Home: items[0],
    End: items.at(-1),
  };
  if (at < 0 || !Object.hasOwn(targets, event.key)) return;
  event.preventDefault();
  targets[event.key]?.focus();
}

/** The nearest before it that stands one level higher. */
export function focusParent(item: Element) {
  const { items, at } = around(item);
  items
    .slice(0, at)
    .findLast((before) => levelOf(before) === levelOf(item) - 1)
    ?.focus();
}

export function focusFirstChild(item: Element) {
  const { items, at } = around(item);
  const next = items[at + 1];
  if (next && levelOf(next) > levelOf(item)) next.focus();
}
