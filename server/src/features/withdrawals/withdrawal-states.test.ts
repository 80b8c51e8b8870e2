import { isFinal, statusOf, WithdrawalState, withdrawalTransitions } from 'contract/withdrawal-states.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { decideInSql } from '#server/core/testing/decisions.ts';
import { addUser } from '#server/core/testing/user.ts';
import type { Tx } from '#server/core/db/db.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());
const ann = await addAdmin(db.database, { username: 'ann' });
const { id: userId } = await addUser(db.owner);
const states = WithdrawalState.options;

test('the database has the states of the contract, with the same status each', async () => {
  const { rows } = await sql<{ state: WithdrawalState }>`
    select unnest(enum_range(null::withdrawal_state)) as state`.execute(db.owner);
  expect(rows.map(({ state }) => state).toSorted()).toEqual(states.toSorted());
  for (const state of states) {
    const id = await db.owner.transaction().execute((tx) => place(tx, state));
    const { status } = await db.database
      .selectFrom('withdrawal')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect({ state, status }).toEqual({ state, status: statusOf[state] });
  }
});

test('the database table has the transitions of the contract', async () => {
  const rows = await db.database.selectFrom('withdrawalTransition').selectAll().execute();
  const nameOf = (from: string | null, to: string) => `${from ?? 'nothing'} -> ${to}`;
  expect(rows.map(({ fromState, toState }) => nameOf(fromState, toState)).toSorted()).toEqual(
    withdrawalTransitions.map(({ from, to }) => nameOf(from, to)).toSorted(),
  );
});

test('the final states are those that the specification shows as Completed or Failed', () => {
  for (const state of states)
    expect({ state, final: isFinal(state) }).toEqual({ state, final: statusOf[state] !== 'Pending' });
});

test('no transition leads from a state in which a withdrawal may have been sent to one in which it can be sent', () => {
  const back = withdrawalTransitions.filter(({ from, to }) => from !== 'requested' && to === 'approved');
  expect(back).toEqual([]);
});

/** Inserts a withdrawal in the given state, with everything that the checks of the table need. */
async function place(tx: Tx, state: WithdrawalState) {
  const decided = state === 'requested' ? sql`null` : sql`now()`;
  const settled = state === 'confirmed' || state === 'failed';
  const { rows } = await sql<{ id: string }>`
    insert into withdrawal (user_id, amount_usd, wallet, balance_usd, gmp_shares, prev_slx, slx_points, state, decided_at,
      mode, reason, reference, sent_at, sent_source, unknown_at, unknown_source, settled_at, settled_source)
    values (${userId}, 5, 'w', 5, 0, 0, 0, ${state}::withdrawal_state, ${decided},
      ${state === 'requested' ? null : 'manual'}, 'Any', uuid_v7()::text,
      ${state === 'sent' ? sql`now()` : null}, ${state === 'sent' ? 'platform' : null},
      ${state === 'unknown' ? sql`now()` : null}, ${state === 'unknown' ? 'clock' : null},
      ${settled ? sql`now()` : null}, ${settled ? 'platform' : null})
    returning id`.execute(tx);
  return rows[0]?.id ?? '';
}

/** Satisfies all other checks, so that only the transition can be refused. */
async function move(from: WithdrawalState, to: WithdrawalState) {
  await db.owner.transaction().execute(async (tx) => {
    const id = await place(tx, from);
    await decideInSql(tx, { kind: 'withdrawal', subjectId: id, units: 5n, requestedBy: ann.id });
    const ended = to === 'confirmed' || to === 'failed';
    await sql`
      update withdrawal set state = ${to}::withdrawal_state, reason = 'Any',
        decided_at = ${to === 'requested' ? null : sql`coalesce(decided_at, now())`},
        mode = coalesce(mode, 'manual'),
        sent_at = ${to === 'sent' ? sql`coalesce(sent_at, now())` : sql`sent_at`},
        sent_source = ${to === 'sent' ? sql`coalesce(sent_source, 'platform')` : sql`sent_source`},
        unknown_at = ${to === 'unknown' ? sql`coalesce(unknown_at, now())` : sql`unknown_at`},
        unknown_source = ${to === 'unknown' ? sql`coalesce(unknown_source, 'clock')` : sql`unknown_source`},
        settled_at = ${ended ? sql`now()` : null}, settled_source = ${ended ? 'platform' : null}
      where id = ${id}`.execute(tx);
  });
}

test.each(states.flatMap((from) => states.filter((to) => to !== from).map((to) => [from, to] as const)))(
  'the database moves a withdrawal from %s to %s exactly if the contract does',
  async (from, to) => {
    const known = withdrawalTransitions.some((row) => row.from === from && row.to === to);
    const refused = isFinal(from) ? 'BU001' : 'BU002';
    const code = await move(from, to).then(
      () => undefined,
      (error: unknown) => (error as { code: string }).code,
    );
    expect(code).toBe(known ? undefined : refused);
  },
);

test('a program adds a withdrawal as requested and in no other state', async () => {
  const insert = sql`insert into withdrawal (user_id, amount_usd, wallet, balance_usd, gmp_shares, prev_slx, slx_points,
    state, decided_at) values (${userId}, 5, 'w', 5, 0, 0, 0, 'confirmed', now())`;
  await expect(insert.execute(db.database)).rejects.toMatchObject({ code: '42501' });
  await expect(insert.execute(db.worker)).rejects.toMatchObject({ code: '42501' });
});
