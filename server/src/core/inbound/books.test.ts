import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes, platformOf, userItem, wallets } from '#server/core/testing/inbound.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { propertyRuns } from '#server/core/testing/property-runs.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';

const users = 8;
const step = fc.record({
  kind: fc.constantFrom('deposits', 'deposits', 'withdrawals', 'stakes'),
  // Few ids, so that many items are sent again, with the same or other content.
  id: fc.nat(150),
  user: fc.nat(users),
  dollars: fc.integer({ min: 0, max: 60 }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const at = new Date().toISOString();

function itemOf({ kind, id, user, dollars }: Step) {
  const item = { id: `${kind}-${id}`, user: `B-${user}`, amount: String(dollars) };
  if (kind === 'stakes') return { ...item, days: 30, placedAt: at };
  return { ...item, asset: 'USD', at, ...(kind === 'withdrawals' && { wallet: wallets[0] }) };
}

/** The plain rules: what each user has, and what was stored under each id. */
function modelOf() {
  const available = new Map<number, number>();
  const stored = new Map<string, string>();
  return {
    available,
    judge({ kind, id, user, dollars }: Step) {
      const key = `${kind} ${id}`;
      const content = `${user} ${dollars}`;
      const before = stored.get(key);
      if (before !== undefined) return before === content ? 'duplicate' : 'IdReused';
      if (dollars === 0) return 'AmountInvalid';
      if (user === users) return 'UserUnknown';
      const had = available.get(user) ?? 0;
      if (kind !== 'deposits' && had < dollars) return 'BalanceTooLow';
      available.set(user, kind === 'deposits' ? had + dollars : had - dollars);
      stored.set(key, content);
      return 'stored';
    },
  };
}

test('property: after any 500 items in any calls, outcomes and balances follow the rules and the books are sound', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 500, maxLength: 500 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 60, maxLength: 60 }),
      async (steps, sizes) => {
        const db = await testDatabase();
        const server = await testServer(db.url);
        await addAdmin(db.owner, { username: 'ann' });
        const { secret } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
        const { send } = platformOf(server, secret);
        const { expectSound, totalsOf } = ledgerOf(db);
        await send('users', ...Array.from({ length: users }, (_, user) => userItem({ id: `B-${user}` })));
        const model = modelOf();
        const rest = [...steps];
        for (const size of sizes) {
          const batch = rest.splice(0, size);
          for (const kind of ['deposits', 'withdrawals', 'stakes'] as const) {
            const items = batch.filter((one) => one.kind === kind);
            if (items.length === 0) continue;
            expect(await send(kind, ...items.map(itemOf))).toEqual(items.map((item) => model.judge(item)));
          }
        }
        await expectSound();
        for (const [user, dollars] of model.available) {
          const { id } = await db.owner
            .selectFrom('platformUser')
            .select('id')
            .where('userId', '=', `B-${user}`)
            .executeTakeFirstOrThrow();
          expect((await totalsOf(id)).availableUsd).toBe(BigInt(dollars) * 1_000_000n);
        }
        await server[Symbol.asyncDispose]();
        await db[Symbol.asyncDispose]();
      },
    ),
    propertyRuns({ gate: 1, thorough: 10 }),
  );
}, 300_000);
