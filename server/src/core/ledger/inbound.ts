import { type DepositItem, depositItemRefusals as texts } from 'contract/ledger-inbound.ts';
import { parseAmount, readAmount } from 'contract/core/money.ts';
import { sealRecords } from '#server/core/audit/record-seals.ts';
import { selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { decideItems, isPast, isPayable, refuseUser } from '#server/core/inbound/inbound.ts';
import { selectUsers } from '#server/core/inbound/queries.ts';
import { platformId } from '#server/core/platform-id.ts';
import { type DepositRow, insertDeposits, selectDeposits } from './inbound-queries.ts';
import { post } from './ledger.ts';
import { lockTotals } from './totals.ts';

/**
 * Adds what users paid in. The totals of the users are locked before the deposits are looked up, so a call with the same
 * deposits waits and finds them.
 */
export async function storeDeposits(tx: Tx, items: readonly DepositItem[]) {
  const users = await selectUsers(
    tx,
    items.map(({ user }) => user),
  );
  await lockTotals(
    tx,
    [...users.values()].map(({ id }) => id),
  );
  const ids = new Map(items.map(({ id }) => [platformId('deposit', id), id]));
  const stored = await selectDeposits(tx, [...ids.keys()]);
  const now = await selectNow(tx);
  const { added, results } = decideItems({
    items,
    texts,
    stored: new Map(stored.map((row) => [ids.get(row.id) ?? '', contentOf(row)])),
    contentOf: ({ user, asset, amount, at }) =>
      contentOf({ userId: users.get(user)?.id, asset, units: readAmount(amount, asset), at }),
    refuse: ({ user, asset, amount, at }) => {
      if (!isPayable(readAmount(amount, asset))) return 'AmountInvalid';
      return isPast(at, now) ? refuseUser(users.get(user)) : 'TimeInvalid';
    },
  });
  const rows = added.map(({ id, user, asset, amount, at }) => ({
    id: platformId('deposit', id),
    userId: users.get(user)?.id ?? '',
    asset,
    units: parseAmount(amount, asset),
    at,
  }));
  if (rows.length > 0) await postDeposits(tx, rows);
  return { results };
}

type Content = { userId: string | undefined; units: bigint | undefined } & Pick<DepositRow, 'asset' | 'at'>;

const contentOf = ({ userId, asset, units, at }: Content) =>
  JSON.stringify([userId, asset, String(units), at.toISOString()]);

async function postDeposits(tx: Tx, rows: readonly DepositRow[]) {
  await insertDeposits(tx, rows);
  await sealRecords(
    tx,
    'deposit',
    rows.map(({ id }) => id),
  );
  await post(
    tx,
    rows.map(({ id: causeId, userId, asset, units }) => ({
      kind: 'deposit',
      causeId,
      part: 0,
      userId,
      asset,
      debit: 'outside',
      credit: 'available',
      units,
    })),
  );
  await announce(tx, { feature: 'ledger', id: 'inbound' });
  await announce(tx, { feature: 'users', id: 'inbound' });
}
