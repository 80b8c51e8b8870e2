import { type PointerEvent, type ReactNode, type SyntheticEvent, useEffect, useRef } from 'react';
import './hint.css';

type Side = 'top' | 'right';
type HintProps = { label: string; side?: Side; id?: string; children: ReactNode };

const gapPx = { top: 8, right: 16 };
const edgePx = 8;
/** Long enough to move the pointer from the button onto the hint. */
const lingerMs = 120;
const afterTouchMs = 3_000;

/** A tooltip on hover and focus. The browser's top layer puts it above everything, including modals. */
export function Hint({ label, side = 'top', id, children }: HintProps) {
  const bubble = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const hideIn = (ms: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => bubble.current?.hidePopover(), ms);
  };
  const show = ({ currentTarget }: SyntheticEvent) => {
    clearTimeout(timer.current);
    const anchor = currentTarget.firstElementChild;
    if (!anchor || !bubble.current) return;
    bubble.current.showPopover();
    place(bubble.current, anchor.getBoundingClientRect(), side);
  };
  const leave = ({ pointerType }: PointerEvent) => hideIn(pointerType === 'touch' ? afterTouchMs : lingerMs);

  return (
    <span
      className="hint-anchor"
      role="presentation"
      onPointerEnter={show}
      onPointerLeave={leave}
      onFocus={show}
      onBlur={() => hideIn(0)}
      onKeyDown={({ key }) => key === 'Escape' && hideIn(0)}
    >
      {children}
      <div ref={bubble} id={id} className="hint" role="tooltip" popover="manual">
        {label}
      </div>
    </span>
  );
}

function place(bubble: HTMLElement, anchor: DOMRect, side: Side) {
  const { width, height } = bubble.getBoundingClientRect();
  const within = (at: number, size: number, space: number) => Math.min(Math.max(at, edgePx), space - size - edgePx);
  const middle = anchor.top + (anchor.height - height) / 2;
  const above = anchor.top - height - gapPx.top;
  const top = side === 'right' ? middle : above < edgePx ? anchor.bottom + gapPx.top : above;
  const left = side === 'right' ? anchor.right + gapPx.right : anchor.left + (anchor.width - width) / 2;
  bubble.style.top = `${within(top, height, window.innerHeight)}px`;
  bubble.style.left = `${within(left, width, window.innerWidth)}px`;
}
