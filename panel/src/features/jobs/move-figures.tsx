import { useQuery } from '@tanstack/react-query';
import { countedAtMost } from 'contract/core/paging.ts';
import { checkedAtMost, type RankMove, type RankMoveFigures } from 'contract/ranks.ts';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Card } from '#panel/ui/card.tsx';
import { type Fact, Facts } from '#panel/ui/facts.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatCount, formatTotal } from '#panel/ui/table/view.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { rankMoveFiguresQuery } from './rank-api.ts';

const failed = 'The figures could not be loaded.';

export function MoveFigures() {
  const query = useQuery(rankMoveFiguresQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data, error } = query;
  return (
    <Card title="Eligible for promotion">
      {data ? (
        <Known figures={data} />
      ) : error ? (
        <LoadError title={failed} query={query} />
      ) : (
        <SkeletonLines lines={4} label="Loading the figures" />
      )}
    </Card>
  );
}

export const movers = { one: 'user', many: 'users' };

function Known({ figures }: { figures: RankMoveFigures }) {
  const { version, total, steps, bonusPerDay, rankBonus } = figures;
  if (total.count === 0) {
    const line = `Every user who qualifies by version ${version} of the thresholds already holds that rank or a higher one.`;
    return <EmptyState title="No promotions due." line={total.capped ? formatLimit(total) : line} />;
  }
  return (
    <div className="jobs-next">
      <p className="jobs-hint">
        {`By version ${version} of the thresholds, ${formatTotal(total, movers)} would be promoted. No one is demoted.`}
        {total.capped && ` ${formatLimit(total)}`}
      </p>
      <Facts facts={[...stepFacts(steps), ...costFacts({ bonusPerDay, perWeek: rankBonus.perWeek })]} />
      <p className="jobs-hint">{formatCostRule(rankBonus)}</p>
    </div>
  );
}

const formatLimit = ({ count }: RankMoveFigures['total']) =>
  count < countedAtMost
    ? `Only the ${formatCount(checkedAtMost)} with the most direct referrals were checked.`
    : `The figures are of the ${formatCount(count)} with the most direct referrals.`;

type Step = RankMoveFigures['steps'][number];

export const stepFacts = (steps: readonly Step[]): Fact[] =>
  steps.map(({ from, to, count }) => ({ name: `${from} → ${to}`, value: formatCount(count) }));

export const costFacts = ({ bonusPerDay, perWeek }: { bonusPerDay: bigint; perWeek: bigint }): Fact[] => [
  { name: 'Stake bonus, a day', value: formatAmount(bonusPerDay, 'USD') },
  { name: 'Rank bonus, a week', value: formatAmount(perWeek, 'USD') },
];

type RankBonus = RankMoveFigures['rankBonus'];

const formatCostRule = ({ rank, bonusAmount }: Omit<RankBonus, 'perWeek'>) =>
  'The stake bonus is the bonus share of the stake payout for users without a rank. ' +
  `The rank bonus is ${formatAmount(bonusAmount, 'USD')} for each new ${rank} user, as saved.`;

/** Computes the figures of the selected users from their rows. */
export function figuresOf(moves: readonly RankMove[], { rank, bonusAmount }: RankBonus) {
  const steps = [...Map.groupBy(moves, ({ from, to }) => `${from} ${to}`).values()].flatMap((same) =>
    same[0] ? [{ from: same[0].from, to: same[0].to, count: same.length }] : [],
  );
  const coming = moves.filter(({ to }) => to === rank).length;
  return {
    steps,
    bonusPerDay: moves.reduce((sum, { bonusPerDay }) => sum + bonusPerDay, 0n),
    perWeek: bonusAmount * BigInt(coming),
  };
}
