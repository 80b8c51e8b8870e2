import { useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { formatTotal } from './table/view.ts';
import './outcome-of-many.css';

type Left = { id: string; name: string; why: string };
type Props = { done: string[]; left: Left[]; noun: { one: string; many: string }; onClose: () => void };

/** What came of each of many: a sum alone would hide those that were left as they were. */
export function OutcomeOfMany({ done, left, noun, onClose }: Props) {
  const close = useRef<HTMLButtonElement>(null);
  // The form that had the focus has gone; read out from here, it is the outcome that is read.
  useEffect(() => close.current?.focus(), []);
  const outcomeId = useId();
  return (
    <div className="outcome-of-many" id={outcomeId}>
      {done.map((words) => (
        <p key={words}>{words}</p>
      ))}
      {left.length > 0 && (
        <>
          <p className="outcome-left">{`${formatTotal({ count: left.length, capped: false }, noun)} left as they were:`}</p>
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
