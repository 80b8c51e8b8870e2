import { useQuery } from '@tanstack/react-query';
import type { RankMove, RankMoveFigures } from 'contract/ranks.ts';
import { Button } from '#panel/ui/button.tsx';
import { CheckBox } from '#panel/ui/check-box.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { rankMoveFiguresQuery } from './rank-api.ts';
import { useDisabledReason } from './job-foot.tsx';
import type { Selection } from './move-columns.tsx';

/** The selected users and figures as they were shown when Promote was clicked. */
export type PromotionRequest = { version: number; moves: readonly RankMove[]; rankBonus: RankMoveFigures['rankBonus'] };

type Props = Selection &
  Omit<PromotionRequest, 'rankBonus'> & { requestPromotion: (request: PromotionRequest) => void };

/** Promotes only users selected on the current page, never users who are not shown. */
export function MoveSelection({ version, moves, ids, choose, requestPromotion }: Props) {
  const denied = useDisabledReason();
  const rankBonus = useQuery(rankMoveFiguresQuery).data?.rankBonus;
  if (moves.length === 0) return null;
  const chosen = moves.filter(({ id }) => ids.includes(id));
  const none = chosen.length === 0;
  const all = chosen.length === moves.length;
  const disabledReason =
    denied ?? (none ? 'Select users first.' : rankBonus ? undefined : 'The cost is not known yet.');
  return (
    <section className="jobs-selection" aria-label="Selected users">
      <CheckBox
        label={none ? `Select all ${formatCount(moves.length)} on this page` : `${formatCount(chosen.length)} selected`}
        checked={all}
        indeterminate={!all && !none}
        onToggle={() => choose(all ? [] : moves.map(({ id }) => id))}
      />
      <Button
        disabledReason={disabledReason}
        onClick={() => rankBonus && requestPromotion({ version, moves: chosen, rankBonus })}
      >
        {none ? 'Promote' : chosen.length === 1 ? 'Promote this one' : `Promote these ${formatCount(chosen.length)}`}
      </Button>
    </section>
  );
}
