import { type StakeEnd, stakeEndRefusals as texts } from 'contract/staking-inbound.ts';
import { selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { decideItems, isPast } from '#server/core/inbound/inbound.ts';
import { post } from '#server/core/ledger/ledger.ts';
import { waitForChunks } from '#server/core/ledger/lines.ts';
import type { Posting } from '#server/core/ledger/posting.ts';
import { lockTotals } from '#server/core/ledger/totals.ts';
import { selectEndable, updateEnded } from './end-early-queries.ts';

/**
 * Ends stakes early: the amount is available again, and the loyalty that was set aside is forfeited to the treasury.
 * Later payouts skip the stake. Waits for chunks that are being paid, and those after it drop the lines of the stake.
 */
export async function endStakesEarly(tx: Tx, items: readonly StakeEnd[]) {
  await waitForChunks(tx);
  const found = await selectEndable(
    tx,
    items.map(({ id }) => id),
  );
  const now = await selectNow(tx);
  const stakes = new Map(found.map((stake) => [stake.stakeId, stake]));
  const { added, results } = decideItems({
    items,
    texts,
    stored: new Map(
      found.flatMap(({ stakeId, endedEarlyAt }) => (endedEarlyAt ? [[stakeId, contentOf(endedEarlyAt)]] : [])),
    ),
    contentOf: ({ endedAt }) => contentOf(endedAt),
    refuse: ({ id, endedAt }) => {
      const stake = stakes.get(id);
      if (!stake) return 'StakeUnknown';
      if (!stake.isActive) return 'StakeCompleted';
      if (endedAt >= stake.maturesAt) return 'StakeMatured';
      return isPast(endedAt, now) && endedAt >= stake.placedAt ? undefined : 'TimeInvalid';
    },
  });
  const ends = added.flatMap(({ id, endedAt }) => {
    const stake = stakes.get(id);
    return stake ? [{ id: stake.id, userId: stake.userId, endedAt }] : [];
  });
  if (ends.length === 0) return { results };
  await lockTotals(
    tx,
    ends.map(({ userId }) => userId),
  );
  await post(tx, (await updateEnded(tx, ends)).flatMap(postingsOf));
  await announce(tx, { feature: 'staking', id: 'inbound' });
  await announce(tx, { feature: 'users', id: 'inbound' });
  return { results };
}

const contentOf = (endedAt: Date) => endedAt.toISOString();

type Ended = Awaited<ReturnType<typeof updateEnded>>[number];

function postingsOf({ id: causeId, userId, units, forfeited }: Ended): Posting[] {
  const end = { kind: 'stake-end', causeId, asset: 'USD' } as const;
  const returned: Posting = { ...end, part: 0, userId, debit: 'staked', credit: 'available', units };
  if (forfeited === 0n) return [returned];
  return [returned, { ...end, part: 1, userId: null, debit: 'loyalty', credit: 'treasury', units: forfeited }];
}
