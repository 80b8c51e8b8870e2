import { type Asset, readAmount, writeAmount } from 'contract/money.ts';
import { askForSecond, type Effect, limitOf, type Payload } from '#server/approvals/approvals.ts';
import { recordAudit } from '#server/audit/audit.ts';
import type { Actor } from '#server/auth/sessions.ts';
import type { Tx } from '#server/db/db.ts';
import { announce } from '#server/events/events.ts';
import { Refusal } from '#server/http/refusal.ts';
import { type Adjustment, insertAdjustment, lockAdjustment, lockPerson, markPosted } from './adjust-queries.ts';
import { post } from './ledger.ts';

type Wish = { actor: Actor; person: string; asset: Asset; amount: string; reason: string };

/** Posts at once what one person may correct alone; asks a second person for the rest. */
export async function adjust(tx: Tx, { actor, person, asset, amount, reason }: Wish) {
  const units = readAmount(amount, asset);
  if (!units) throw new Refusal('AmountInvalid');
  const user = await lockPerson(tx, person);
  if (!user) throw new Refusal('UserNotFound');

  const made = { userId: person, asset, units, reason, madeBy: actor.id };
  const id = await insertAdjustment(tx, made);
  const adjustment = { ...made, id, username: user.username };
  const waits = await needsSecond(tx, adjustment);
  if (waits) {
    const asked = { kind: 'adjustment', subjectId: id, payload: payloadOf(adjustment), askedBy: actor.id } as const;
    await askForSecond(tx, asked);
  } else await postAdjustment(tx, adjustment);
  const details = { adjustment: id, username: user.username, asset, amount: writeAmount(units, asset), reason };
  const action = waits ? 'ledger.ask-adjustment' : 'ledger.adjust';
  await recordAudit(tx, { actorId: actor.id, action, subjectId: person, details });
  return { id, state: waits ? ('waiting' as const) : ('posted' as const) };
}

/** What the second person does by approving. */
export const adjustmentEffect: Effect = {
  async payloadOf(tx, id) {
    const adjustment = await lockAdjustment(tx, id);
    return adjustment && payloadOf(adjustment);
  },
  async apply(tx, { subjectId }) {
    const adjustment = await lockAdjustment(tx, subjectId);
    if (!adjustment) throw new Refusal('ApprovalVoid');
    await postAdjustment(tx, adjustment);
  },
};

/** Only dollars have a limit: what the others are worth nobody here can say. */
async function needsSecond(tx: Tx, { asset, units }: Adjustment) {
  const limit = await limitOf(tx, 'adjustment');
  return asset !== 'USD' || (units < 0n ? -units : units) > limit;
}

async function postAdjustment(tx: Tx, { id, userId, asset, units }: Adjustment) {
  const gives = units > 0n;
  await markPosted(tx, id);
  await post(tx, [
    {
      kind: 'adjustment',
      causeId: id,
      part: 0,
      userId,
      asset,
      debit: gives ? 'adjustments' : 'available',
      credit: gives ? 'available' : 'adjustments',
      units: gives ? units : -units,
    },
  ]);
  await announce(tx, { room: 'ledger', id });
  await announce(tx, { room: 'users', id: userId });
}

function payloadOf({ userId, username, asset, units, reason }: Adjustment): Payload {
  return {
    person: userId,
    facts: [
      { name: 'Adjustment for', value: username },
      { name: 'Amount', value: `${units > 0n ? '+' : ''}${writeAmount(units, asset)} ${asset}` },
      { name: 'Reason', value: reason },
    ],
  };
}
