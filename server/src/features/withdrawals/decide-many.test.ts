import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');

const requested = async () => addWithdrawal(db.owner, { userId: (await addUser(db.owner)).id, units: 10_000_000n });
const decide = (ids: string[]) =>
  server.call('POST', '/api/withdrawals/decide', { token, body: { ids }, headers: { 'idempotency-key': 'a page' } });

test('an idempotency key stands for the withdrawals that it was first used with', async () => {
  const [one, other] = [await requested(), await requested()];
  expect((await decide([one])).json).toEqual({ done: 1, requested: 0, refused: [] });
  expect((await decide([one])).json).toEqual({ done: 1, requested: 0, refused: [] });
  expect((await decide([other])).json).toMatchObject({ status: 422, code: 'KeyReused' });
  const { json } = await server.call('GET', `/api/withdrawals/${other}`, { token });
  expect(json['withdrawal']).toMatchObject({ state: 'requested' });
});
