import { stayText } from 'contract/ranks.ts';
import { Button } from '#panel/ui/button.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { OutcomeOfMany } from '#panel/ui/outcome-of-many.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { usePromotingMovers } from './rank-api.ts';
import { costFacts, figuresOf, movers, stepFacts } from './move-figures.tsx';
import type { PromotionRequest } from './move-selection.tsx';

const formatUsers = (count: number) => formatTotal({ count, capped: false }, movers);

type Props = PromotionRequest & { onDone: () => void };

/** Shows whom a promotion moves and what it costs, and then its outcome. */
export function PromoteForm({ version, moves, rankBonus, onDone }: Props) {
  const promoting = usePromotingMovers();
  if (promoting.data) {
    const { requested, stayed } = promoting.data;
    const left = stayed.map(({ id, username, why }) => ({ id, name: username ?? id, why: stayText[why] }));
    const done = requested > 0 ? [`The promotion of ${formatUsers(requested)} was sent to a second approver.`] : [];
    return <OutcomeOfMany done={done} left={left} noun={movers} onClose={onDone} />;
  }
  const { steps, ...cost } = figuresOf(moves, rankBonus);
  const promote = () => {
    if (!promoting.isPending) promoting.mutate({ body: { version, moves: moves.map(({ id, to }) => ({ id, to })) } });
  };
  return (
    <>
      <p className="jobs-question">{`Request the promotion of ${formatUsers(moves.length)}?`}</p>
      <Facts facts={[...stepFacts(steps), ...costFacts(cost)]} />
      <p className="jobs-hint">
        A second approver must approve it. Each change is saved with the figures. Anyone who no longer qualifies by then
        is skipped.
      </p>
      <ModalActions waiting={promoting.isPending}>
        <Button loading={promoting.isPending} onClick={promote}>
          Request approval
        </Button>
      </ModalActions>
    </>
  );
}
