import { randomUUID } from 'node:crypto';
import { type Account, TransferKind } from 'contract/ledger.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

/* The key of a payment counts its own reversals, so a payment that stands cannot be made again, whatever is planned. */
const db = await testDatabase();
const { posted, totalsOf } = ledgerOf(db);

const day = '2026-11-14';

const reversePayment = (causeId: string) =>
  sql`insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units, reverses, reverses_day)
    select day, kind, cause_id, part, user_id, asset, credit, debit, units, id, day from transfer as it
    where cause_id = ${causeId}::uuid and reverses is null
      and not exists (select from transfer as back where back.day = it.day and back.reverses = it.id)`.execute(
    db.worker,
  );

test.each([
  { kind: 'stake-base', debit: 'stake_rewards', asset: 'USD', parts: [0, 1, 2] },
  { kind: 'rank-bonus', debit: 'rank_bonuses', asset: 'USD', parts: [2, 12, 22] },
  { kind: 'gmp', debit: 'gmp_pool', asset: 'GMP', parts: [1, 11, 21] },
] as const)('a $kind is paid again only after it was reversed', async ({ parts, ...payment }) => {
  const [first, second, third] = parts;
  const { id: userId } = await addUser(db.owner);
  const causeId = randomUUID();
  const pay = (part: number) => posted(deposit({ userId, ...payment, causeId, part, day }));
  await pay(first);
  await expect(pay(first)).rejects.toThrow('unique constraint');
  await expect(pay(second)).rejects.toThrow('was not reversed');
  await reversePayment(causeId);
  await expect(pay(first)).rejects.toThrow('unique constraint');
  await expect(pay(third)).rejects.toThrow('was not reversed');
  await pay(second);
  await expect(pay(third)).rejects.toThrow('was not reversed');
  const { availableUsd, availableGmp } = await totalsOf(userId);
  expect(availableUsd + availableGmp).toBe(100n);
});

test('a bonus for another rank in the same week is a payment of its own', async () => {
  const { id: userId } = await addUser(db.owner);
  const bonus = { userId, kind: 'rank-bonus', debit: 'rank_bonuses', causeId: userId, day } as const;
  await posted(deposit({ ...bonus, part: 1 }), deposit({ ...bonus, part: 2 }));
  expect((await totalsOf(userId)).weeklyRankBonusUsd).toBe(200n);
});

test('only the accounts that a kind of transfer connects can be debited and credited', async () => {
  const { rows } = await sql<{ kind: TransferKind; debit: Account; credit: Account }>`
    select kind, debit, credit from unnest(enum_range(null::transfer_kind)) as kind,
      unnest(enum_range(null::ledger_account)) as debit, unnest(enum_range(null::ledger_account)) as credit
    where connects(kind, debit, credit)`.execute(db.owner);
  const allowed = Object.fromEntries(TransferKind.options.map((kind) => [kind, [] as string[]]));
  for (const { kind, debit, credit } of rows) allowed[kind]?.push(`${debit} ${credit}`);
  expect(allowed).toEqual({
    deposit: ['outside available', 'outside treasury'],
    stake: ['available staked', 'staked available'],
    'stake-end': ['staked available', 'loyalty treasury'],
    'stake-base': ['stake_rewards available'],
    'stake-bonus': ['stake_rewards available'],
    'stake-loyalty': ['treasury loyalty'],
    loyalty: ['loyalty available'],
    gmp: ['gmp_pool available'],
    referral: ['referral_bonuses available'],
    'rank-bonus': ['rank_bonuses available'],
    task: ['task_rewards available'],
    withdrawal: ['available held', 'held available', 'held outside'],
    adjustment: [
      'available treasury',
      'available adjustments',
      'treasury available',
      'treasury receivable',
      'treasury outside',
      'outside treasury',
      'adjustments available',
    ],
    receivable: ['available receivable', 'receivable available'],
    funding: [
      ...['stake_rewards', 'gmp_pool', 'referral_bonuses', 'rank_bonuses', 'task_rewards'].map(
        (to) => `treasury ${to}`,
      ),
      ...['stake_rewards', 'gmp_pool', 'referral_bonuses', 'rank_bonuses', 'task_rewards'].map(
        (of) => `${of} treasury`,
      ),
    ],
  });
  const { id: userId } = await addUser(db.owner);
  const forged = deposit({ userId, kind: 'rank-bonus', debit: 'outside' });
  await expect(posted(forged)).rejects.toThrow('transfer_connects');
});
