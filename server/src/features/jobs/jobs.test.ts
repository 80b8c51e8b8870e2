import type { JobName } from 'contract/run-kinds.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { approved } from '#server/core/testing/second.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());

const ann = await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');
await addAdmin(db.database, { username: 'bea' });
const bea = await server.signIn('bea');

const defaults = {
  'stake-payout': { enabled: false, baseReward: 50, bonusReward: 20, loyaltyReward: 30 },
  'gmp-distro': {
    amount: '1000.00',
    frequency: 'Daily',
    time: '00:00',
    enabled: false,
    weekday: 1,
    utcOffset: 0,
    percentage: 100,
  },
  'referral-check': { period: 30, reward: 5 },
  'rank-bonus': { rank: 'Silver', bonusAmount: '10.00' },
  'rank-promotion': {
    Silver: { referrals: 5, volume: '1000.00' },
    Gold: { referrals: 20, volume: '10000.00' },
    Platinum: { referrals: 50, volume: '100000.00' },
  },
} satisfies Record<JobName, object>;

const changes = {
  'stake-payout': { enabled: true, baseReward: 33.33, bonusReward: 0, loyaltyReward: 66.67 },
  'gmp-distro': {
    amount: '250.000001',
    frequency: 'Weekly',
    time: '23:59',
    enabled: true,
    weekday: 7,
    utcOffset: -3.25,
    percentage: 12.5,
  },
  'referral-check': { period: 7, reward: 2.5 },
  'rank-bonus': { rank: 'Platinum', bonusAmount: '1000000.00' },
  'rank-promotion': {
    Silver: { referrals: 1, volume: '0.00' },
    Gold: { referrals: 1, volume: '0.000001' },
    Platinum: { referrals: 1000000, volume: '1000000000.00' },
  },
} satisfies Record<JobName, object>;

const jobs = Object.keys(defaults) as JobName[];

type Stored = {
  settings: Record<string, unknown>;
  version: number;
  savedBy: string | null;
  approvedBy: string | null;
  savedAt: string;
  waiting: { approval: string; requestedBy: string; facts: { key: string; value: string }[] } | null;
};
const read = async (job: JobName) => (await server.call('GET', `/api/jobs/${job}`, { token })).json as Stored;
const save = (job: JobName, settings: object, { version = 0, as = token, on = server } = {}) =>
  on.call('POST', `/api/jobs/${job}`, { token: as, body: { settings, version } });
/** Saves settings and approves them if they need approval. */
async function change(job: JobName, settings: object) {
  const answer = await save(job, settings, { version: (await read(job)).version });
  expect(answer.status).toBe(200);
  await approved(server, answer, bea);
}

test.each(jobs)('%s starts with the defaults of the specification, saved by no administrator', async (job) => {
  expect(await read(job)).toEqual({
    settings: defaults[job],
    version: 1,
    savedBy: null,
    approvedBy: null,
    savedAt: expect.any(String),
    effectiveFrom: '1970-01-01T00:00:00.000Z',
    waiting: null,
  });
});

test.each(jobs)('%s is saved as a new version and read back unchanged', async (job) => {
  await change(job, changes[job]);
  expect(await read(job)).toEqual({
    settings: changes[job],
    version: 2,
    savedBy: 'ann',
    approvedBy: 'bea',
    savedAt: expect.stringMatching(/Z$/),
    effectiveFrom: expect.stringMatching(/Z$/),
    waiting: null,
  });
});

test.each(jobs)('every version of %s is kept and cannot be changed', async (job) => {
  await change(job, defaults[job]);
  const versions = await db.owner
    .selectFrom('jobSettings')
    .select(['version', 'settings'])
    .where('job', '=', job)
    .orderBy('version')
    .execute();
  expect(versions.slice(0, 3)).toEqual([
    { version: 1, settings: defaults[job] },
    { version: 2, settings: changes[job] },
    { version: 3, settings: defaults[job] },
  ]);
  await expect(sql`update job_settings set settings = '{}' where job = ${job}`.execute(db.owner)).rejects.toThrow(
    'append-only',
  );
});

test.each(jobs)('the audit log records who changed %s, with the values before and after', async (job) => {
  const before = await read(job);
  await change(job, changes[job]);
  const last = await db.owner
    .selectFrom('auditEntry')
    .select(['actorId', 'action', 'details'])
    .where('subjectId', '=', job)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  expect(last).toMatchObject({ actorId: ann.id, action: 'jobs.ask' });
  expect(JSON.parse(last.details)).toEqual({
    before: { version: before.version, ...before.settings },
    after: { version: before.version + 1, ...changes[job] },
  });
});

test.each(jobs)('%s is not saved if the author did not see the latest version', async (job) => {
  const { version } = await read(job);
  for (const seen of [version - 1, version + 1]) {
    const { status, json } = await save(job, defaults[job], { version: seen });
    expect(status).toBe(409);
    expect(json).toMatchObject({
      code: 'JobConflict',
      error: 'Someone else has just saved this. Check the new values and save again.',
    });
  }
  expect((await read(job)).version).toBe(version);
});

test('two concurrent saves: one succeeds, the other is refused, and no version is lost or skipped', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { settings, version } = await read('gmp-distro');
    // The time decides nothing that is paid, so it is saved without approval.
    const answers = await Promise.all([
      save('gmp-distro', { ...settings, time: `10:0${round}` }, { version }),
      save('gmp-distro', { ...settings, time: `20:0${round}` }, { version, on: second }),
    ]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    expect((await read('gmp-distro')).version).toBe(version + 1);
  }
});

const refused: [string, JobName, object][] = [
  ['a share above 100 percent', 'stake-payout', { baseReward: 100.01, bonusReward: 0, loyaltyReward: 0 }],
  ['a negative share', 'stake-payout', { baseReward: -1 }],
  ['shares that add up to more than 100 percent', 'stake-payout', { bonusReward: 20.01 }],
  ['an amount of 0', 'gmp-distro', { amount: '0' }],
  ['a weekday of 0', 'gmp-distro', { weekday: 0 }],
  ['a weekday of 8', 'gmp-distro', { weekday: 8 }],
  ['an offset past +14', 'gmp-distro', { utcOffset: 14.25 }],
  ['an offset of ten minutes', 'gmp-distro', { utcOffset: 0.1 }],
  ['an invalid time', 'gmp-distro', { time: '7:30' }],
  ['an unknown frequency', 'gmp-distro', { frequency: 'Yearly' }],
  ['a period of 0 days', 'referral-check', { period: 0 }],
  ['a period of one and a half days', 'referral-check', { period: 1.5 }],
  ['the rank none', 'rank-bonus', { rank: 'none' }],
  ['a bonus of 0', 'rank-bonus', { bonusAmount: '0.00' }],
  ['a bonus above a million', 'rank-bonus', { bonusAmount: '1000000.01' }],
  ['an unknown field', 'rank-bonus', { note: 'Hello' }],
  ['a rank without referrals', 'rank-promotion', { Silver: { referrals: 0, volume: '1000.00' } }],
  ['a negative volume', 'rank-promotion', { Silver: { referrals: 5, volume: '-1.00' } }],
  ['Gold with fewer referrals than Silver', 'rank-promotion', { Silver: { referrals: 21, volume: '0.00' } }],
  ['Platinum with less volume than Gold', 'rank-promotion', { Platinum: { referrals: 50, volume: '9999.99' } }],
];
test.each(refused)('%s is refused by %s', async (_what, job, wrong) => {
  const { version } = await read(job);
  expect((await save(job, { ...defaults[job], ...wrong }, { version })).status).toBe(400);
  expect((await read(job)).version).toBe(version);
});

test('only administrators with the permission can change jobs, and all can read them', async () => {
  for (const [permissionSet, status] of [
    ['Finance', 200],
    ['Support', 403],
    ['Auditor', 403],
  ] as const) {
    const username = `the.${permissionSet.toLowerCase()}`;
    await addAdmin(db.database, { username, permissionSet });
    const as = await server.signIn(username);
    for (const job of jobs) {
      const { settings, version } = await read(job);
      expect((await save(job, settings, { version, as })).status, `${username} ${job}`).toBe(status);
      expect((await server.call('GET', `/api/jobs/${job}`, { token: as })).status).toBe(200);
    }
  }
});

test('every open panel is notified which job changed', async () => {
  const stream = await openStream(second.address, { authorization: `Bearer ${token}` });
  await change('rank-bonus', changes['rank-bonus']);
  await stream.heard({ feature: 'jobs', id: 'rank-bonus' });
  await stream.close();
});
