import type { Answer } from 'contract/endpoint.ts';
import { stayWords } from 'contract/ranks.ts';
import type { promoteMovers } from 'contract/users.ts';
import { useEffect, useId, useRef } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { sayTotal } from '#panel/ui/table/view.ts';
import { usePromotingMovers } from './rank-api.ts';
import { costFacts, figuresOf, movers, stepFacts } from './move-figures.tsx';
import type { Wanted } from './move-selection.tsx';

const say = (count: number) => sayTotal({ count, capped: false }, movers);

type Props = Wanted & { onDone: () => void };

/** Says whom it moves and what that costs, and then what came of it. */
export function PromoteForm({ version, moves, rankBonus, onDone }: Props) {
  const promoting = usePromotingMovers();
  if (promoting.data) return <Outcome outcome={promoting.data} onClose={onDone} />;
  const { steps, ...cost } = figuresOf(moves, rankBonus);
  const promote = () => {
    if (!promoting.isPending) promoting.mutate({ body: { version, moves: moves.map(({ id, to }) => ({ id, to })) } });
  };
  return (
    <>
      <p className="jobs-question">{`Promote ${say(moves.length)}?`}</p>
      <Facts facts={[...stepFacts(steps), ...costFacts(cost)]} />
      <p className="jobs-hint">
        Each change is kept with what was reached. Whoever no longer reaches the rank is left alone.
      </p>
      <ModalActions waiting={promoting.isPending}>
        <Button loading={promoting.isPending} onClick={promote}>
          Promote
        </Button>
      </ModalActions>
    </>
  );
}

type OutcomeProps = { outcome: Answer<typeof promoteMovers>; onClose: () => void };

/** A sum alone would hide who stayed. */
function Outcome({ outcome: { promoted, stayed }, onClose }: OutcomeProps) {
  const close = useRef<HTMLButtonElement>(null);
  // The button that had the focus has gone; read out from here, it is the outcome that is read.
  useEffect(() => close.current?.focus(), []);
  const outcomeId = useId();
  return (
    <div id={outcomeId}>
      <p className="jobs-question">{`${say(promoted)} promoted.`}</p>
      {stayed.length > 0 && (
        <>
          <p className="jobs-hint">{`${say(stayed.length)} left as they were:`}</p>
          <ul className="jobs-stayed">
            {stayed.map(({ id, username, why }) => (
              <li key={id}>
                <strong>{username ?? id}</strong> {stayWords[why]}
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
