import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runQuery } from '#server/core/db/db.ts';
import { platformId } from '#server/core/platform-id.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes, platformOf } from '#server/core/testing/inbound.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { holdingLock } from '#server/core/testing/locks.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';
import { holdEarlyEnds } from '#server/core/ledger/lines.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.owner, { username: 'ann' });
const { secret } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
const { send } = platformOf(server, secret);
const { posted, totalsOf, expectSound } = ledgerOf(db);
const runs = runsOf(db);
await setRunLimit(db.owner, 10n ** 15n);

const dayMs = 86_400_000;
const dollar = 1_000_000n;
await fillTreasury(db.owner, 'USD', 1_000_000n * dollar);
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
let sent = 0;

/** A user with a stake of 100 dollars at 0.1 percent a day, of which 30 percent are loyalty. */
async function stakingUser() {
  sent += 1;
  const stake = `E-${sent}`;
  const { id: userId, userId: number } = await addUser(db.owner);
  await posted(deposit({ userId, units: 100n * dollar }));
  const item = { id: stake, user: number, amount: '100', days: 30, placedAt: daysAgo(2) };
  expect(await send('stakes', item)).toEqual(['stored']);
  return { userId, number, stake, id: platformId('stake', stake), totals: () => totalsOf(userId) };
}

const endNow = (stake: string) => ({ id: stake, endedAt: new Date().toISOString() });

async function loyaltyOf(id: string) {
  const { rows } = await sql<{ units: bigint }>`
    select coalesce(sum(case when credit = 'loyalty' then units else -units end), 0)::bigint as units
    from transfer where cause_id = ${id}::uuid and 'loyalty' in (debit, credit)`.execute(db.owner);
  return rows[0]?.units;
}

const skipsOf = async (runId: string) =>
  new Map(
    (await db.owner.selectFrom('runLineDropped').selectAll().where('runId', '=', runId).execute()).map((row) => [
      row.causeId,
      row.skip,
    ]),
  );

// The users of all tests share one payout, because there is one for a day.
const planned = await stakingUser();
const paid = await stakingUser();
const before = await stakingUser();

test('a stake that ends before any payout returns its amount, and no payout pays for it', async () => {
  const item = endNow(before.stake);
  expect(await send('stakes/end', item, item)).toEqual(['stored', 'duplicate']);
  expect(await before.totals()).toMatchObject({ availableUsd: 100n * dollar, stakedUsd: 0n });
  const row = await db.owner.selectFrom('stake').selectAll().where('id', '=', before.id).executeTakeFirst();
  expect(row).toMatchObject({ status: 'Completed', endedEarlyAt: new Date(item.endedAt), forfeitedUsd: 0n });
  await expectSound();
});

test('a stake that ends between plan and payment is dropped, and everyone else is paid', async () => {
  const run = await runs.plan((await runs.create('stake-payout', new Date())).id);
  const lines = (await runs.linesOf(run.id)).map(({ causeId }) => causeId);
  expect(lines).toEqual(expect.arrayContaining([planned.id, paid.id]));
  expect(lines).not.toContain(before.id);
  expect(await send('stakes/end', endNow(planned.stake))).toEqual(['stored']);
  await runs.start(run.id);
  expect(await runs.pay(run.id)).toMatchObject({ state: 'completed' });
  expect(await skipsOf(run.id)).toEqual(new Map([[planned.id, 'ended']]));
  expect(await planned.totals()).toMatchObject({ availableUsd: 100n * dollar, stakedUsd: 0n });
  expect(await paid.totals()).toMatchObject({ availableUsd: 50_000n, stakedUsd: 100n * dollar });
  expect(await loyaltyOf(paid.id)).toBe(30_000n);
  await expectSound();
});

test('ending a stake forfeits its loyalty, and a reversal of an earlier day does not return it again', async () => {
  expect(await send('stakes/end', endNow(paid.stake))).toEqual(['stored']);
  expect(await paid.totals()).toMatchObject({ availableUsd: 100_050_000n, stakedUsd: 0n });
  expect(await loyaltyOf(paid.id)).toBe(0n);
  await expectSound();

  const run = await db.owner
    .selectFrom('run')
    .select('id')
    .where('kind', '=', 'stake-payout')
    .executeTakeFirstOrThrow();
  const reversal = await runs.reverse(run.id);
  expect((await runs.linesOf(reversal.id)).map(({ skip }) => skip)).toEqual(['ended']);
  await expectSound();
  expect(await loyaltyOf(paid.id)).toBe(0n);
});

test('a stake that ends after its reversal was planned is dropped from it', async () => {
  const later = await stakingUserPaidToday();
  const reversal = await runs.reverse(later.run);
  expect((await runs.linesOf(reversal.id)).filter(({ causeId }) => causeId === later.id)).toMatchObject([
    { skip: null, loyalty: 30_000n },
  ]);
  expect(await send('stakes/end', endNow(later.stake))).toEqual(['stored']);
  await runs.start(reversal.id);
  expect(await runs.pay(reversal.id)).toMatchObject({ state: 'completed' });
  expect((await skipsOf(reversal.id)).get(later.id)).toBe('ended');
  expect(await loyaltyOf(later.id)).toBe(0n);
  await expectSound();
});

/** A user whose stake was paid for today, after the reversal that is still planned was canceled. */
async function stakingUserPaidToday() {
  await sql`update run set state = 'cancelled', ended_at = now(), why = '{"code": "superseded", "params": {"by": null}}'
    where ended_at is null`.execute(db.owner);
  const user = await stakingUserPlaced(daysAgo(1));
  const tomorrow = new Date(Date.now() + dayMs);
  const run = await runs.plan((await runs.create('stake-payout', tomorrow)).id);
  await runs.start(run.id);
  expect(await runs.pay(run.id)).toMatchObject({ state: 'completed' });
  return { ...user, run: run.id };
}

async function stakingUserPlaced(placedAt = daysAgo(0)) {
  sent += 1;
  const stake = `E-${sent}`;
  const { id: userId, userId: number } = await addUser(db.owner);
  await posted(deposit({ userId, units: 100n * dollar }));
  const item = { id: stake, user: number, amount: '100', days: 30, placedAt };
  expect(await send('stakes', item)).toEqual(['stored']);
  return { userId, stake, id: platformId('stake', stake) };
}

test('an end waits for a chunk that is being paid', async () => {
  const { stake, id } = await stakingUserPlaced();
  const release = await holdingLock(db.worker, holdEarlyEnds);
  const answer = send('stakes/end', endNow(stake));
  await eventually(async () => {
    const { rows } = await sql`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event = 'advisory' and query like '%pg_advisory_xact_lock%'`.execute(
      db.owner,
    );
    return rows.length > 0;
  });
  const row = await db.owner.selectFrom('stake').select('status').where('id', '=', id).executeTakeFirst();
  expect(row?.status).toBe('Active');
  await release();
  expect(await answer).toEqual(['stored']);
});

test('each item is refused with its own code', async () => {
  const { stake } = await stakingUserPlaced();
  const at = new Date();
  expect(
    await send(
      'stakes/end',
      { id: 'nothing', endedAt: at },
      { id: stake, endedAt: new Date(at.getTime() + dayMs) },
      { id: stake, endedAt: daysAgo(2) },
      { id: stake, endedAt: at },
      { id: stake, endedAt: at },
      { id: stake, endedAt: new Date(at.getTime() - 1) },
    ),
  ).toEqual(['StakeUnknown', 'TimeInvalid', 'TimeInvalid', 'stored', 'duplicate', 'IdReused']);
  const { stake: whole, id } = await stakingUserPlaced();
  await db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`update stake set status = 'Completed', completed_at = now() where id = ${id}::uuid`.execute(tx);
  });
  expect(await send('stakes/end', endNow(whole))).toEqual(['StakeCompleted']);
});

test('five identical calls at once end each stake once', async () => {
  const users = await Promise.all([stakingUserPlaced(), stakingUserPlaced()]);
  const items = users.map(({ stake }) => endNow(stake));
  const answers = await Promise.all(Array.from({ length: 5 }, () => send('stakes/end', ...items)));
  expect(answers.map((outcomes) => outcomes.join(' ')).toSorted()).toEqual([
    ...Array(4).fill('duplicate duplicate'),
    'stored stored',
  ]);
  for (const { userId } of users) expect((await totalsOf(userId)).availableUsd).toBe(100n * dollar);
});

test('a stake that reached its last day cannot be ended early, also before the payout that completes it', async () => {
  const { id: userId } = await addUser(db.owner);
  const placedOn = daysAgo(31).slice(0, 10);
  const id = await addStake(db.owner, { userId, units: 100n * dollar, days: 29, placedOn });
  const [stake] = await runQuery<{ stakeId: string; endsOn: string }>(
    db.owner,
    sql`select stake_id as "stakeId", ends_on::text as "endsOn" from stake where id = ${id}::uuid`,
  );
  const { stakeId, endsOn } = stake ?? { stakeId: '', endsOn: '' };
  expect(endsOn < new Date().toISOString().slice(0, 10)).toBe(true);
  expect(await send('stakes/end', endNow(stakeId))).toEqual(['StakeMatured']);
  expect(await send('stakes/end', { id: stakeId, endedAt: `${endsOn}T23:59:59.999Z` })).toEqual(['stored']);
});
