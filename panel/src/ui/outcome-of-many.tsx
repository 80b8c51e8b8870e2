import { useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { formatTotal } from './table/view.ts';
import './outcome-of-many.css';

type Left = { id: string; name: string; why: string };
type Props = { done: string[]; left: Left[]; noun: { one: string; many: string }; onClose: () => void };

/** The result of a bulk action for each item. A total alone would hide the items that were not changed. */
export function OutcomeOfMany({ done, left, noun, onClose }: Props) {
  const close = useRef<HTMLButtonElement>(null);
  // The focused form is gone. Focusing the button makes a screen reader read the outcome, which describes it.
  useEffect(() => close.current?.focus(), []);
  const outcomeId = useId();
  return (
    <div className="outcome-of-many" id={outcomeId}>
      {done.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {left.length > 0 && (
        <>
          <p className="outcome-left">{`${formatTotal({ count: left.length, capped: false }, noun)} not changed:`}</p>
          <ul>
            {left.map(({ id, name, why }) => (
              <li key={id}>
                <strong>{name}</strong> {why}
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="overlay-actions">
        <Button ref={close} aria-describedby={outcomeId} onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  );
}
