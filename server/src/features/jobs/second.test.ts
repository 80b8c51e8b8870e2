import { jobKinds } from 'contract/job-kinds.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { testReason } from '#server/core/testing/runs.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
const other = await testServer(db.url);
afterAll(() => other[Symbol.asyncDispose]());
await addAdmin(db.database, { username: 'ann', permissionSet: 'Finance' });
await addAdmin(db.database, { username: 'bea' });
const ann = await server.signIn('ann');
const bea = await server.signIn('bea');

type Settings = Record<string, unknown>;
type Stored = {
  settings: Settings;
  version: number;
  savedBy: string | null;
  approvedBy: string | null;
  effectiveFrom: string;
  waiting: { approval: string; requestedBy: string; facts: { key: string; value: string }[] } | null;
};
const read = async (job: string) => (await server.call('GET', `/api/jobs/${job}`, { token: ann })).json as Stored;

/** Saves the settings in force with some fields changed. */
type SaveOptions = { on?: typeof server; token?: string; effectiveFrom?: string };

async function save(job: string, changes: Settings, { on = server, token = ann, ...day }: SaveOptions = {}) {
  const { settings, version } = await read(job);
  const body = { settings: { ...settings, ...changes }, version, ...day };
  const { status, json } = await on.call('POST', `/api/jobs/${job}`, { token, body });
  return { status, code: json['code'], stored: json as Stored };
}

/** Requests a change that needs a second approver. */
async function requestChange(job: string, changes: Settings, options?: SaveOptions) {
  const { status, stored } = await save(job, changes, options);
  expect(status).toBe(200);
  if (!stored.waiting) throw new Error('No request was made.');
  return { ...stored, waiting: stored.waiting };
}
const stateOf = async (id: string) =>
  (await server.call('GET', `/api/approvals/${id}`, { token: ann })).json['approval'] as { state: string };

const changed: [string, string, unknown][] = [
  ['stake-payout', 'baseReward', 40],
  ['stake-payout', 'bonusReward', 11.5],
  ['stake-payout', 'loyaltyReward', 0],
  ['gmp-distro', 'amount', '2000.00'],
  ['gmp-distro', 'percentage', 50],
  ['gmp-distro', 'frequency', 'Weekly'],
  ['gmp-distro', 'weekday', 2],
  ['gmp-distro', 'utcOffset', -3.5],
  ['referral-check', 'period', 14],
  ['referral-check', 'reward', 6.25],
  ['rank-bonus', 'rank', 'Gold'],
  ['rank-bonus', 'bonusAmount', '12.50'],
  ['rank-promotion', 'Silver.referrals', 4],
  ['rank-promotion', 'Silver.volume', '900.00'],
  ['rank-promotion', 'Gold.referrals', 19],
  ['rank-promotion', 'Gold.volume', '9000.00'],
  ['rank-promotion', 'Platinum.referrals', 49],
  ['rank-promotion', 'Platinum.volume', '90000.00'],
];

/** Returns the settings with one field changed. The fields of a rank have a dot. */
function withField(settings: Settings, field: string, value: unknown): Settings {
  const [outer = '', inner] = field.split('.');
  return { ...settings, [outer]: inner ? { ...(settings[outer] as Settings), [inner]: value } : value };
}

test('the list contains all settings that determine what is paid, to whom and how often', () => {
  const known = Object.entries(jobKinds).flatMap(([job, { rewardSettings }]) =>
    rewardSettings.map((field) => `${job} ${field}`),
  );
  expect(known).toEqual(changed.map(([job, field]) => `${job} ${field}`));
});

test.each(changed)(
  '%s: a change of %s waits for a second approver and takes effect when they approve',
  async (job, field, value) => {
    const before = await read(job);
    const requested = await requestChange(job, withField(before.settings, field, value));
    expect(requested).toMatchObject({ settings: before.settings, version: before.version });
    expect(requested.waiting).toMatchObject({ requestedBy: 'ann' });
    expect(await read(job)).toEqual(requested);

    expect((await decideOn(server, requested.waiting.approval, { token: ann })).json['code']).toBe('OwnRequest');
    expect((await decideOn(server, requested.waiting.approval, { token: bea })).status).toBe(200);
    expect(await read(job)).toMatchObject({
      settings: withField(before.settings, field, value),
      version: before.version + 1,
      savedBy: 'ann',
      approvedBy: 'bea',
      waiting: null,
    });
  },
);

test('the request shows the old and new values and expires after a week', async () => {
  const { version, settings } = await read('gmp-distro');
  const { waiting } = await requestChange('gmp-distro', {
    amount: '777.00',
    enabled: !settings['enabled'],
    weekday: 3,
  });
  expect(waiting.facts).toEqual([
    { key: 'job', value: 'gmp-distro' },
    { key: 'setting.amount', before: String(settings['amount']), value: '777.00' },
    { key: 'setting.enabled', before: 'false', value: 'true' },
    { key: 'setting.weekday', before: '2', value: '3' },
    { key: 'version', before: String(version), value: String(version + 1) },
  ]);
  const { json } = await server.call('GET', `/api/approvals/${waiting.approval}`, { token: bea });
  const { requestedAt, expiresAt } = json['approval'] as { requestedAt: string; expiresAt: string };
  expect(Date.parse(expiresAt) - Date.parse(requestedAt)).toBe(7 * 86_400_000);
  await decideOn(server, waiting.approval, { token: bea, decision: 'deny' });
});

test('settings for a chosen day always need a second approver, and apply from that day', async () => {
  const { settings, version } = await read('stake-payout');
  const { waiting } = await requestChange('stake-payout', {}, { effectiveFrom: '2026-03-10' });
  expect(waiting.facts).toEqual([
    { key: 'job', value: 'stake-payout' },
    { key: 'effectiveFrom', value: '2026-03-10' },
    { key: 'version', before: String(version), value: String(version + 1) },
  ]);
  await decideOn(server, waiting.approval, { token: bea });
  expect(await read('stake-payout')).toMatchObject({
    settings,
    version: version + 1,
    effectiveFrom: '2026-03-10T00:00:00.000Z',
  });
  expect(await save('stake-payout', {}, { effectiveFrom: '2026-02-30' })).toMatchObject({ status: 400 });
});

test('a request names what it changes on later days, whose settings the new version would replace', async () => {
  const { settings } = await read('stake-payout');
  const reduced = await requestChange('stake-payout', { baseReward: 5 }, { effectiveFrom: '2026-06-01' });
  await decideOn(server, reduced.waiting.approval, { token: bea });
  const back = { baseReward: settings['baseReward'] };
  const { waiting } = await requestChange('stake-payout', back, { effectiveFrom: '2026-05-31' });
  expect(waiting.facts).toContainEqual({
    key: 'later.2026-06-01.baseReward',
    before: '5',
    value: String(settings['baseReward']),
  });
  expect((await decideOn(server, waiting.approval, { token: bea })).status).toBe(200);
  const { rows } = await sql<{ base: number }>`
    select (settings ->> 'baseReward')::float8 as base from settings_in_effect('stake-payout', '2026-06-15')`.execute(
    db.owner,
  );
  expect(rows).toEqual([{ base: settings['baseReward'] }]);
});

test('without a chosen day, settings of a payout do not apply to a day whose plan waits to be paid', async () => {
  await sql`insert into run (kind, period, day, part, asset, settings, settings_version, as_of)
    values ('stake-payout', '2026-03-09', '2026-03-09', 0, 'USD', '{}', 1, '2026-03-10')`.execute(db.owner);
  const { waiting } = await requestChange('stake-payout', { loyaltyReward: 2 });
  await decideOn(server, waiting.approval, { token: bea });
  expect(await read('stake-payout')).toMatchObject({ effectiveFrom: '2026-03-10T00:00:00.000Z' });
  await sql`alter table run disable trigger user`.execute(db.owner);
  await sql`update run set state = 'cancelled', why = ${testReason}, ended_at = now()`.execute(db.owner);
  await sql`alter table run enable trigger user`.execute(db.owner);
});

test('without a chosen day, settings of a payout apply to the next day that is not yet paid, and others at once', async () => {
  const { owner } = db;
  await sql`insert into run (kind, period, day, part, asset, settings, settings_version, as_of)
    values ('stake-payout', '2026-03-10', '2026-03-10', 0, 'USD', '{}', 1, '2026-03-11')`.execute(owner);
  await sql`alter table run disable trigger user`.execute(owner);
  await sql`update run set state = 'cancelled', why = ${testReason}, started_at = now(), ended_at = now()`.execute(
    owner,
  );
  await sql`alter table run enable trigger user`.execute(owner);
  const payout = await requestChange('stake-payout', { loyaltyReward: 1 });
  await decideOn(server, payout.waiting.approval, { token: bea });
  expect(await read('stake-payout')).toMatchObject({ effectiveFrom: '2026-03-11T00:00:00.000Z' });

  const check = await requestChange('referral-check', { reward: 3 });
  await decideOn(server, check.waiting.approval, { token: bea });
  const age = Date.now() - Date.parse((await read('referral-check')).effectiveFrom);
  expect(age).toBeGreaterThanOrEqual(0);
  expect(age).toBeLessThan(60_000);
});

test('a denied change has no effect and can be requested again', async () => {
  const before = await read('referral-check');
  const { waiting } = await requestChange('referral-check', { reward: 9 });
  expect((await decideOn(server, waiting.approval, { token: bea, decision: 'deny' })).status).toBe(200);
  expect(await read('referral-check')).toEqual(before);
  const again = await requestChange('referral-check', { reward: 9 });
  await decideOn(server, again.waiting.approval, { token: bea, decision: 'deny' });
});

async function switchOn(job: string) {
  const { waiting } = await requestChange(job, { enabled: true });
  expect((await decideOn(server, waiting.approval, { token: bea })).status).toBe(200);
}

test('switching a schedule on needs a second approver, and switching it off does not', async () => {
  const { waiting } = await requestChange('gmp-distro', { enabled: true });
  expect((await read('gmp-distro')).settings).toMatchObject({ enabled: false });
  await decideOn(server, waiting.approval, { token: bea });
  expect((await read('gmp-distro')).settings).toMatchObject({ enabled: true });
  const { stored } = await save('gmp-distro', { enabled: false });
  expect(stored).toMatchObject({ settings: { enabled: false }, savedBy: 'ann', approvedBy: null, waiting: null });
});

test('a second change is refused while another one is waiting', async () => {
  const { waiting } = await requestChange('stake-payout', { baseReward: 1 });
  expect(await save('stake-payout', { baseReward: 2 })).toMatchObject({ status: 409, code: 'ChangeWaits' });
  expect((await read('stake-payout')).waiting).toEqual(waiting);
  await decideOn(server, waiting.approval, { token: bea });
  expect((await read('stake-payout')).settings).toMatchObject({ baseReward: 1 });
});

test('saving other settings voids a waiting request, because it was made from an older version', async () => {
  await switchOn('stake-payout');
  const { waiting, settings } = await requestChange('stake-payout', { baseReward: 3 });
  const { stored } = await save('stake-payout', { enabled: false });
  expect(stored.waiting).toBeNull();
  expect(await stateOf(waiting.approval)).toMatchObject({ state: 'void' });
  expect((await decideOn(server, waiting.approval, { token: bea })).status).toBe(409);
  expect((await read('stake-payout')).settings).toMatchObject({ baseReward: settings['baseReward'] });
});

test('a change that needs no approval is saved immediately', async () => {
  const { version } = await read('gmp-distro');
  const { stored } = await save('gmp-distro', { time: '13:45' });
  expect(stored).toMatchObject({ version: version + 1, savedBy: 'ann', approvedBy: null, waiting: null });
});

test('concurrent approval and save: at least one succeeds, and no version is lost or skipped', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { version, settings } = await read('gmp-distro');
    const { waiting } = await requestChange('gmp-distro', { percentage: 20 + round });
    const [decided, saved] = await Promise.all([
      decideOn(server, waiting.approval, { token: bea }),
      save('gmp-distro', { time: `10:0${round}` }, { on: other, token: bea }),
    ]);
    const after = await read('gmp-distro');
    expect([decided.status, saved.status].filter((status) => status === 200).length).toBeGreaterThan(0);
    expect([decided.status, saved.status].every((status) => status === 200 || status === 409)).toBe(true);
    expect(after.waiting).toBeNull();
    expect(after.version).toBe(version + [decided, saved].filter(({ status }) => status === 200).length);
    const percentage = decided.status === 200 ? 20 + round : settings['percentage'];
    expect(after.settings).toMatchObject({ percentage });
  }
});

test('a change that needs no approval does not bring forward rewards that start later', async () => {
  await switchOn('stake-payout');
  const { waiting, settings } = await requestChange(
    'stake-payout',
    { baseReward: 33 },
    { effectiveFrom: '2090-01-01' },
  );
  await decideOn(server, waiting.approval, { token: bea });
  const inEffect = async (at: string) => {
    const { rows } = await sql<{ settings: Settings }>`
      select settings from settings_in_effect('stake-payout', ${at})`.execute(db.owner);
    return rows[0]?.settings;
  };
  const enabled = false;
  const { stored } = await save('stake-payout', { enabled });
  expect(stored).toMatchObject({ waiting: null, settings: { baseReward: 33, enabled } });
  expect(await inEffect('2089-12-31')).toMatchObject({ baseReward: settings['baseReward'], enabled });
  expect(await inEffect('2090-01-02')).toMatchObject({ baseReward: 33, enabled });

  // The request for a reward says everything that would change when it takes effect.
  const sooner = await requestChange('stake-payout', { bonusReward: 7 });
  expect(sooner.waiting.facts.map(({ key }) => key)).toEqual(
    expect.arrayContaining(['setting.bonusReward', 'setting.baseReward']),
  );
  await decideOn(server, sooner.waiting.approval, { token: bea, decision: 'deny' });
});
