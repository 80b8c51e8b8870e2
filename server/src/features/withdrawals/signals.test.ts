import { Signal } from 'contract/withdrawals-signals.ts';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');

type Request = {
  user: string;
  /** Hours before `noon`. */
  hoursAgo?: number;
  wallet?: string;
  dollars?: bigint;
  balance?: bigint;
  state?: 'requested' | 'confirmed' | 'rejected';
};

const unit = 1_000_000n;
const noon = Date.UTC(2026, 5, 15, 12);

/** Adds a request, by default for a small part of a large balance, to the user's own wallet. */
async function request({ user, hoursAgo = 0, state = 'requested', ...chosen }: Request) {
  const at = new Date(noon - hoursAgo * 3_600_000);
  const { id } = await db.owner.transaction().execute((tx) =>
    tx
      .insertInto('withdrawal')
      .values({
        userId: user,
        amountUsd: (chosen.dollars ?? 10n) * unit,
        balanceUsd: (chosen.balance ?? 1_000n) * unit,
        wallet: chosen.wallet ?? `own-${user}`,
        state,
        createdAt: at,
        gmpShares: 0n,
        prevSlx: 0n,
        slxPoints: 0n,
        decidedAt: state === 'requested' ? null : at,
        reason: state === 'rejected' ? 'The wallet refused it.' : null,
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return id;
}

/** Returns the signals of a withdrawal, and expects the same in the list. */
async function signalsOf(id: string) {
  const { json } = await server.call('GET', `/api/withdrawals/${id}`, { token });
  const { userUuid, signals } = json['withdrawal'] as { userUuid: string; signals: string[] };
  const listed = await server.call('GET', `/api/withdrawals?user=${userUuid}&limit=100`, { token });
  const rows = listed.json['withdrawals'] as { id: string; signals: string[] }[];
  expect(rows.find((row) => row.id === id)?.signals).toEqual(signals);
  return signals;
}

/** Adds a user who was paid to their own wallet long ago, so that the next small request has no signals. */
async function regular(chosen: Parameters<typeof addUser>[1] = {}) {
  const { id } = await addUser(db.owner, chosen);
  await request({ user: id, hoursAgo: 1_000, state: 'confirmed' });
  return id;
}

test('an ordinary request has no signals', async () => {
  expect(await signalsOf(await request({ user: await regular() }))).toEqual([]);
});

test('a wallet to which nothing was paid before is new', async () => {
  const user = await regular();
  expect(await signalsOf(await request({ user, wallet: 'fresh' }))).toEqual(['new wallet']);
});

test('a wallet is new while earlier requests to it are pending or failed, and known once one was paid', async () => {
  const user = await regular();
  await request({ user, wallet: 'slow', hoursAgo: 900, state: 'rejected' });
  await request({ user, wallet: 'slow', hoursAgo: 800 });
  expect(await signalsOf(await request({ user, wallet: 'slow', hoursAgo: 700 }))).toEqual(['new wallet']);
  await request({ user, wallet: 'slow', hoursAgo: 600, state: 'confirmed' });
  expect(await signalsOf(await request({ user, wallet: 'slow', hoursAgo: 500 }))).toEqual([]);
});

test('a wallet to which only another user was paid is new and shared', async () => {
  const other = await regular();
  await request({ user: other, wallet: 'theirs', hoursAgo: 500, state: 'confirmed' });
  const signals = await signalsOf(await request({ user: await regular(), wallet: 'theirs' }));
  expect(signals).toEqual(['new wallet', 'shared wallet']);
});

test('a wallet that two users use is shared for both of them', async () => {
  const [one, two] = [await regular(), await regular()];
  const ids = [];
  for (const user of [one, two]) {
    await request({ user, wallet: 'common', hoursAgo: 500, state: 'confirmed' });
    ids.push(await request({ user, wallet: 'common' }));
  }
  for (const id of ids) expect(await signalsOf(id)).toEqual(['shared wallet']);
});

test.each(['wallet', 'solWalletAddress'] as const)(
  'a wallet that is the %s of another user is shared',
  async (field) => {
    const user = await regular();
    const wallet = `profile-${field}`;
    await request({ user, wallet, hoursAgo: 500, state: 'confirmed' });
    const id = await request({ user, wallet });
    expect(await signalsOf(id)).toEqual([]);
    await addUser(db.owner, { [field]: wallet });
    expect(await signalsOf(id)).toEqual(['shared wallet']);
  },
);

test('a wallet on the user’s own profile is not shared', async () => {
  const user = await regular({ wallet: 'mine', solWalletAddress: 'mine' });
  await request({ user, wallet: 'mine', hoursAgo: 500, state: 'confirmed' });
  expect(await signalsOf(await request({ user, wallet: 'mine' }))).toEqual([]);
});

test('the first withdrawal is the first that did not fail', async () => {
  const { id: user } = await addUser(db.owner);
  await request({ user, hoursAgo: 500, state: 'rejected' });
  const first = await request({ user, hoursAgo: 400 });
  const second = await request({ user, hoursAgo: 300 });
  expect(await signalsOf(first)).toEqual(['new wallet', 'first withdrawal']);
  expect(await signalsOf(second)).toEqual(['new wallet']);
});

test.each([
  [500n, []],
  [501n, ['more than half of the balance']],
  [1_000n, ['more than half of the balance']],
])('a withdrawal of %i of 1,000 dollars has the signals %j', async (dollars, expected) => {
  expect(await signalsOf(await request({ user: await regular(), dollars }))).toEqual(expected);
});

test('more than half is exact to the smallest unit, for amounts of any size', async () => {
  const user = await regular();
  const exact = async (amountUsd: bigint, balanceUsd: bigint, hour: number) => {
    const of = { userId: user, wallet: `own-${user}`, gmpShares: 0n, prevSlx: 0n, slxPoints: 0n };
    const { id } = await db.owner.transaction().execute((tx) =>
      tx
        .insertInto('withdrawal')
        .values({ ...of, amountUsd, balanceUsd, createdAt: new Date(Date.UTC(2027, 1, hour)) })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    return signalsOf(id);
  };
  const largest = 2n ** 62n - 1n;
  expect(await exact(2n, 5n, 1)).toEqual([]);
  expect(await exact(3n, 5n, 4)).toEqual(['more than half of the balance']);
  expect(await exact(largest, largest, 7)).toEqual(['more than half of the balance']);
});

test('all requests within a day are marked, and requests a day apart are not', async () => {
  const user = await regular();
  const early = await request({ user, hoursAgo: 100 });
  const late = await request({ user, hoursAgo: 76.001 });
  const apart = await request({ user, hoursAgo: 52 });
  expect(await signalsOf(early)).toEqual(['several within a day']);
  expect(await signalsOf(late)).toEqual(['several within a day']);
  expect(await signalsOf(apart)).toEqual([]);
});

test('requests of other users within the day have no effect', async () => {
  await request({ user: await regular(), hoursAgo: 1 });
  expect(await signalsOf(await request({ user: await regular() }))).toEqual([]);
});

test('the withdrawals of a user are marked while the sponsor is blacklisted', async () => {
  const { id: sponsorId } = await addUser(db.owner);
  const user = await regular({ sponsorId });
  const id = await request({ user });
  const blacklist = (at: Date | null) =>
    db.owner.transaction().execute((tx) =>
      tx
        .updateTable('platformUser')
        .set({ blacklistedAt: at, blacklistReason: at ? 'Fraud' : null })
        .where('id', '=', sponsorId)
        .execute(),
    );
  expect(await signalsOf(id)).toEqual([]);
  await blacklist(new Date());
  expect(await signalsOf(id)).toEqual(['sponsor blacklisted']);
  await blacklist(null);
  expect(await signalsOf(id)).toEqual([]);
});

test('all signals together are in the order of the contract', async () => {
  const { id: sponsorId } = await addUser(db.owner, { blacklistedAt: new Date(), blacklistReason: 'Fraud' });
  const { id: user } = await addUser(db.owner, { sponsorId });
  await addUser(db.owner, { wallet: 'all-at-once' });
  const wallet = 'all-at-once';
  const id = await request({ user, wallet, dollars: 900n, hoursAgo: 2 });
  await request({ user, wallet, hoursAgo: 1 });
  expect(await signalsOf(id)).toEqual(Signal.options);
});
