import { writeFactAmount } from 'contract/approvals-facts.ts';
import { TreasuryAsset } from 'contract/ledger.ts';
import { type Asset, readAmount, writeAmount } from 'contract/core/money.ts';
import { decideOrRequest, type Effect } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  type Adjustment,
  insertAdjustment,
  lockAdjustment,
  lockUser,
  markPosted,
  selectAdjustment,
} from './adjust-queries.ts';
import { post } from './ledger.ts';
import { type Owed, spareInTreasury } from './lines.ts';

type Params = {
  owed: Owed;
  actor: Actor;
  id: string;
  user: string | null;
  asset: Asset;
  amount: string;
  reason: string;
};

/** The largest adjustment in smallest units: above any real balance, and far below where sums overflow a bigint. */
const most = 10n ** 15n;

/** Posts an adjustment that the administrator may make alone; requests a second approval for any other. */
export async function adjust(tx: Tx, { owed, actor, id, user, asset, amount, reason }: Params) {
  const units = readAmount(amount, asset);
  if (!units || units > most || units < -most) throw new Refusal('AmountInvalid');
  const adjusted = user === null ? null : await lockUser(tx, user);
  if (adjusted === undefined) throw new Refusal('UserNotFound');

  const adjustment = { id, user: adjusted, asset, units, ...accountsOf(user, asset), reason };
  const isNew = await insertAdjustment(tx, adjustment, actor.id);
  if (!isNew) return readExisting(tx, adjustment, actor);
  const moves = { asset, units: units < 0n ? -units : units };
  const request = { kind: 'adjustment', subjectId: id, payload: payloadOf(adjustment) } as const;
  const waits = (await decideOrRequest(tx, { ...request, moves, actor })) === 'requested';
  if (!waits) await postAdjustment(tx, adjustment, owed);
  const of = adjusted ? { username: adjusted.username } : { account: 'treasury' };
  const details = { adjustment: id, ...of, asset, amount: writeAmount(units, asset), reason };
  const action = waits ? 'ledger.ask-adjustment' : 'ledger.adjust';
  await recordAudit(tx, { actorId: actor.id, action, subjectId: user ?? id, details });
  return { id, state: waits ? ('waiting' as const) : ('posted' as const) };
}

/** The treasury pays what it holds. Shares and points are issued, because it has none of them. */
function accountsOf(user: string | null, asset: Asset): Pick<Adjustment, 'account' | 'otherAccount'> {
  if (user === null) return { account: 'treasury', otherAccount: 'outside' };
  return { account: 'available', otherAccount: TreasuryAsset.safeParse(asset).success ? 'treasury' : 'adjustments' };
}

/** Returns the result of a repeated request again. Refuses a different request with the same id. */
export async function readExisting(tx: Tx, given: Adjustment, { id: madeBy }: Actor) {
  const { id, user, asset, units, account, reason } = given;
  const made = await selectAdjustment(tx, id);
  const requested = { userId: user?.id ?? null, asset, units, account, reason, madeBy };
  const same = Object.entries(requested).every(([name, value]) => made?.[name as keyof typeof requested] === value);
  if (!made || !same) throw new Refusal('AdjustmentDiffers');
  return { id, state: made.postedAt ? ('posted' as const) : ('waiting' as const) };
}

/** Posts an adjustment when the second approver approves it. */
export const adjustmentEffect = (owed: Owed): Effect => ({
  async payloadOf(tx, id) {
    const adjustment = await lockAdjustment(tx, id);
    return adjustment && payloadOf(adjustment);
  },
  async apply(tx, { subjectId }) {
    const adjustment = await lockAdjustment(tx, subjectId);
    if (!adjustment) throw new Refusal('ApprovalVoid');
    await postAdjustment(tx, adjustment, owed);
  },
});

async function postAdjustment(tx: Tx, { id, user, asset, units, account, otherAccount }: Adjustment, owed: Owed) {
  const gives = units > 0n;
  const [debit, credit] = gives ? ([otherAccount, account] as const) : ([account, otherAccount] as const);
  const moved = gives ? units : -units;
  // A write-off changes nothing that the treasury can pay: what users owe is not part of it.
  const pays = debit === 'treasury' && credit !== 'receivable';
  if (pays && (await spareInTreasury(tx, asset, owed)) < moved) throw new Refusal('TreasuryTooLow');
  await markPosted(tx, id);
  await post(tx, [
    {
      kind: 'adjustment',
      causeId: id,
      part: 0,
      userId: user?.id ?? null,
      asset,
      debit,
      credit,
      units: moved,
    },
  ]);
  await announce(tx, { feature: 'ledger', id });
  if (user) await announce(tx, { feature: 'users', id: user.id });
}

export function payloadOf({ user, asset, units, account, reason }: Adjustment): Payload {
  return {
    userUuid: user?.id ?? null,
    facts: [
      user ? { key: 'user', value: user.username } : { key: 'treasury', value: units > 0n ? 'in' : 'out' },
      { key: account === 'receivable' ? 'writeOff' : 'adjustment', value: writeFactAmount(units, asset) },
      { key: 'reason', value: reason },
    ],
  };
}
