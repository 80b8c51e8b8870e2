import type { KeyboardEvent } from 'react';

const levelOf = (item: Element) => Number(item.getAttribute('aria-level'));

function positionOf(item: Element) {
  const items = [...(item.closest('[role="tree"]')?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
  return { items, at: items.findIndex((one) => one === item) };
}

/** Handles ArrowUp, ArrowDown, Home and End across all visible levels. Ignores other keys. */
export function moveThroughTree(event: KeyboardEvent<HTMLElement>) {
  if (!(event.target instanceof Element)) return;
  const { items, at } = positionOf(event.target);
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

/** Focuses the nearest previous item one level up. */
export function focusParent(item: Element) {
  const { items, at } = positionOf(item);
  items
    .slice(0, at)
    .findLast((before) => levelOf(before) === levelOf(item) - 1)
    ?.focus();
}

export function focusFirstChild(item: Element) {
  const { items, at } = positionOf(item);
  const next = items[at + 1];
  if (next && levelOf(next) > levelOf(item)) next.focus();
}
