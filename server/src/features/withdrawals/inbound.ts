import { readAmount } from 'contract/core/money.ts';
import { walletFault } from 'contract/core/wallet.ts';
import { type WithdrawalItem, withdrawalItemRefusals as texts } from 'contract/withdrawals-inbound.ts';
import { sealRecords } from '#server/core/audit/record-seals.ts';
import { selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { decideItems, isPast, isPayable, refuseUser } from '#server/core/inbound/inbound.ts';
import { selectUsers } from '#server/core/inbound/queries.ts';
import { post } from '#server/core/ledger/ledger.ts';
import { lockTotals } from '#server/core/ledger/totals.ts';
import { platformId } from '#server/core/platform-id.ts';
import { Refusal } from '#server/core/refusal.ts';
import { insertRequests, lockEnabled, type NewRequest, type RequestRow, selectRequests } from './inbound-queries.ts';

/**
 * Adds withdrawals that users request and puts their amounts on hold. It locks the totals of the users first: balances
 * cannot change until it commits, and a concurrent call with the same requests waits and then finds them stored.
 */
export async function storeWithdrawals(tx: Tx, items: readonly WithdrawalItem[]) {
  if (!(await lockEnabled(tx))) throw new Refusal('WithdrawalsDisabled');
  const users = await selectUsers(
    tx,
    items.map(({ user }) => user),
  );
  const totals = await lockTotals(
    tx,
    [...users.values()].map(({ id }) => id),
  );
  const ids = new Map(items.map(({ id }) => [platformId('withdrawal', id), id]));
  const stored = await selectRequests(tx, [...ids.keys()]);
  const now = await selectNow(tx);
  const held: NewRequest[] = [];
  const { results } = decideItems({
    items,
    texts,
    stored: new Map(stored.map((row) => [ids.get(row.id) ?? '', contentOf(row)])),
    contentOf: ({ user, asset, amount, wallet, at }) =>
      contentOf({ userId: users.get(user)?.id, units: readAmount(amount, asset), wallet, at }) +
      (asset === 'USD' ? '' : asset),
    refuse: ({ id, user, asset, amount, wallet, at }) => {
      if (asset !== 'USD') return 'AssetNotPayable';
      const units = readAmount(amount, asset);
      if (!isPayable(units)) return 'AmountInvalid';
      if (!isPast(at, now)) return 'TimeInvalid';
      if (walletFault(wallet) !== undefined) return 'WalletInvalid';
      const owner = users.get(user);
      const had = totals.get(owner?.id ?? '');
      if (!owner || owner.isDeleted || !had) return refuseUser(owner) ?? 'UserUnknown';
      const { userId, availableUsd: balance, gmpShares, slx } = had;
      if (balance < units) return 'BalanceTooLow';
      totals.set(userId, { ...had, availableUsd: balance - units });
      const request = { id: platformId('withdrawal', id), platformId: id, userId, units, wallet, at };
      held.push({ ...request, balance, gmpShares, slx });
      return undefined;
    },
  });
  if (held.length > 0) await hold(tx, held);
  return { results };
}

type Content = { userId: string | undefined; units: bigint | undefined } & Pick<RequestRow, 'wallet' | 'at'>;

const contentOf = ({ userId, units, wallet, at }: Content) =>
  JSON.stringify([userId, String(units), wallet, at.toISOString()]);

async function hold(tx: Tx, requests: readonly NewRequest[]) {
  await insertRequests(tx, requests);
  await sealRecords(
    tx,
    'withdrawal-request',
    requests.map(({ id }) => id),
  );
  await post(
    tx,
    requests.map(({ id: causeId, userId, units }) => ({
      kind: 'withdrawal',
      causeId,
      part: 0,
      userId,
      asset: 'USD',
      debit: 'available',
      credit: 'held',
      units,
    })),
  );
  await announce(tx, { feature: 'withdrawals', id: 'inbound' });
}
