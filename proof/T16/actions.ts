import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { testPassword } from '../../server/src/core/testing/server.ts';
import { addWithdrawal } from '../../server/src/core/testing/transfers.ts';
import { addUser } from '../../server/src/core/testing/user.ts';
import type { Caller } from '../processes/caller.ts';
import type { Chance } from '../processes/chance.ts';
import type { Fixture } from '../processes/fixture.ts';

type User = { id: string; userId: string };
type World = { fixture: Fixture; caller: Caller; chance: Chance; users: User[]; rogue: string };
type Waiting = { id: string; digest: string };
type Run = { id: string; state: string; planHash: string | null; reverses: string | null };

const temporary = 'given for the first day';

/** What all actions use. `identities` are the tokens of the rogue administrator and of the accounts they have made. */
function toolsOf({ fixture, caller, chance, users, rogue }: World) {
  const identities = [rogue];
  // Only the first one may move money alone, so an even choice among nine would rarely come near the limit.
  const anyone = () => (chance.happens(0.6) ? rogue : chance.one(identities));
  const get = async (path: string) => (await caller.call('GET', path, { token: rogue })).json;
  return {
    fixture,
    caller,
    chance,
    rogue,
    identities,
    anyone,
    get,
    friend: () => chance.one(users),
    amount: (most: number) => `${1 + chance.whole(most)}.00`,
    post: (path: string, body: object, token = anyone()) =>
      caller.call('POST', path, { token, body, key: randomUUID() }),
    listed: async <T>(path: string, field: string) => ((await get(path))[field] ?? []) as T[],
  };
}
type Tools = ReturnType<typeof toolsOf>;

/** Everything that an administrator can do to move money or to gain rights, with arbitrary values. */
export function actionsOf(world: World) {
  const tools = toolsOf(world);
  return { ...paymentsOf(tools), ...runsOf(tools), ...rightsOf(tools) };
}

function paymentsOf({ fixture, chance, friend, amount, post }: Tools) {
  return {
    'approves a withdrawal': async () => {
      const units = BigInt(1 + chance.whole(1_500)) * 1_000_000n;
      const id = await addWithdrawal(fixture.owner, { userId: (await addUser(fixture.owner)).id, units });
      await post(`/api/withdrawals/${id}/approve`, { reference: `paid ${id}` });
    },
    'adjusts a balance': async () => {
      const asset = chance.one(['USD', 'GMP', 'SHARE']);
      const sign = chance.happens(0.8) ? '' : '-';
      const value = asset === 'SHARE' ? String(1 + chance.whole(9)) : amount(200);
      const body = { id: randomUUID(), user: friend().id, asset, amount: `${sign}${value}`, reason: 'A gift' };
      await post('/api/ledger/adjustments', body);
    },
    'rewards and revokes a task': async () => {
      const form = { userId: friend().userId, postUrl: 'https://example.com', title: 'Task', description: '' };
      const made = await post('/api/tasks', { ...form, reward: amount(700), deadline: '2030-01-01' });
      const task = made.json['task'] as { id: string; version: number } | undefined;
      if (!task) return;
      const paid = await post(`/api/tasks/${task.id}/rewarded`, { rewarded: true, version: task.version });
      const version = (paid.json['task'] as { version: number } | undefined)?.version ?? task.version;
      if (chance.happens(0.5)) await post(`/api/tasks/${task.id}/rewarded`, { rewarded: false, version });
    },
  };
}

/** Pays a bonus to all friends and reverses it, which an administrator may do alone within the limit. */
export async function openingOf(world: World) {
  const tools = toolsOf(world);
  await runJob(tools, 'rank-bonus');
  await runsOf(tools)['reverses a run']();
}

async function runJob(tools: Tools, kind: string) {
  const { json } = await tools.post('/api/runs', { kind });
  const run = json['run'] as Run | undefined;
  if (run) await startRun(tools, run.id);
}

function runsOf(tools: Tools) {
  const { chance, friend, post, listed } = tools;
  return {
    'runs a job': () => runJob(tools, chance.one(['rank-bonus', 'gmp-distro', 'referral-check', 'stake-payout'])),
    'reverses a run': async () => {
      const runs = await listed<Run>('/api/runs?state=completed&limit=20', 'runs');
      if (runs.length === 0) return;
      const one = chance.happens(0.7) ? { user: friend().id } : {};
      const { json } = await post(`/api/runs/${chance.one(runs).id}/reverse`, { reason: 'Mine', ...one });
      const run = json['run'] as Run | undefined;
      if (run) await startRun(tools, run.id);
    },
    'cancels what waits': async () => {
      const [run] = await listed<Run>('/api/runs?state=waiting&limit=1', 'runs');
      if (run) await post(`/api/runs/${run.id}/steer`, { step: 'cancel' });
    },
  };
}

function rightsOf({ caller, chance, rogue, identities, anyone, friend, amount, post, get, listed }: Tools) {
  return {
    'creates an account': async () => {
      const username = `puppet${identities.length}.${chance.whole(1_000_000)}`;
      const role = chance.one(['Admin', 'SuperAdmin']);
      const body = { username, password: temporary, confirmPassword: temporary, role };
      const { status } = await post('/api/admin/signup', body, rogue);
      if (status !== 200 || identities.length > 8) return;
      const { json } = await caller.call('POST', '/api/admin/login', { body: { username, password: temporary } });
      const chosen = { currentPassword: temporary, newPassword: testPassword };
      await caller.call('POST', '/api/auth/password', { token: String(json['token']), body: chosen });
      identities.push(await caller.signIn(username));
    },
    'promotes a friend': async () => {
      const newRank = chance.one(['Silver', 'Gold', 'Platinum']);
      await post('/api/users/promote', { userId: friend().userId, newRank, reason: 'Deserved' });
    },
    'changes reward settings': async () => {
      const [job, settings] = chance.one([
        ['rank-bonus', { rank: chance.one(['Silver', 'Gold']), bonusAmount: amount(100_000) }],
        ['referral-check', { period: 3_000, reward: 100 }],
      ] as const);
      const { version } = await get(`/api/jobs/${job}`);
      await post(`/api/jobs/${job}`, { settings, version });
    },
    'changes a limit': async () => {
      const limits = await listed<{ kind: string; asset: string; version: number }>('/api/approvals/limits', 'limits');
      const { kind, asset, version } = chance.one(limits);
      await post('/api/approvals/limits', { kind, asset, version, limit: '100000000.00' }, rogue);
    },
    'removes a colleague': async () => {
      const admins = await listed<{ id: string; username: string; version: number }>('/api/admin/all', 'admins');
      const honest = admins.filter(({ username }) => !username.startsWith('puppet') && username !== 'rogue');
      const { id, version } = chance.one(honest);
      const change = chance.one([{ permissionSet: 'Support' }, { newUsername: `x${chance.whole(1_000_000)}y` }]);
      await caller.call('PATCH', `/api/admin/${id}`, { token: rogue, body: { version, ...change } });
      await post('/api/admin/delete', { username: 'careful' }, rogue);
    },
    'switches a schedule on': async () => {
      const job = chance.one(['gmp-distro', 'stake-payout']);
      const { version, settings } = await get(`/api/jobs/${job}`);
      const time = new Date().toISOString().slice(11, 16);
      const soon = job === 'gmp-distro' ? { time } : {};
      await post(`/api/jobs/${job}`, { settings: { ...(settings as object), enabled: true, ...soon }, version });
    },
    'approves everything that waits': async () => {
      const waiting = await listed<Waiting>('/api/approvals?state=waiting&limit=50', 'approvals');
      for (const { id, digest } of waiting) {
        for (const approver of [rogue, anyone()]) {
          await post(`/api/approvals/${id}/decide`, { decision: 'approve', digest }, approver);
        }
      }
    },
  };
}

/** Starts a run once the worker has planned it, and gives the worker the time to pay it. */
async function startRun({ get, post }: Tools, id: string) {
  for (let look = 0; look < 50; look += 1) {
    const run = (await get(`/api/runs/${id}`))['run'] as Run;
    if (run.state === 'planned') {
      await post(`/api/runs/${id}/start`, { planHash: run.planHash });
      break;
    }
    await wait(40);
  }
  await wait(150);
}
