import type { Answer } from 'contract/endpoint.ts';
import type { decideWithdrawals } from 'contract/withdrawals.ts';
import { useEffect, useId, useRef } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { sayTotal } from '#panel/ui/table/view.ts';
import type { Decision } from './decide-modal.tsx';

type Props = { outcome: Answer<typeof decideWithdrawals>; decision: Decision; onClose: () => void };

const noun = { one: 'withdrawal', many: 'withdrawals' };
const say = (count: number) => sayTotal({ count, capped: false }, noun);

/** What came of each of many: a sum alone would hide what was refused. */
export function Outcome({ outcome: { done, asked, refused }, decision, onClose }: Props) {
  const close = useRef<HTMLButtonElement>(null);
  // The form that had the focus has gone; read out from here, it is the outcome that is read.
  useEffect(() => close.current?.focus(), []);
  const outcomeId = useId();
  return (
    <div className="withdrawal-outcome" id={outcomeId}>
      {done > 0 && <p>{`${say(done)} ${decision === 'approve' ? 'approved' : 'rejected'}.`}</p>}
      {asked > 0 && <p>{`${say(asked)} above the limit: a second person was asked.`}</p>}
      {refused.length > 0 && (
        <>
          <p>{`${say(refused.length)} left as they were:`}</p>
          <ul className="withdrawal-refused">
            {refused.map(({ id, user, error }) => (
              <li key={id}>
                <strong>{user ?? id}</strong> {error}
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
