import type { Correction, Finding, FindingKind, TreeReport } from 'contract/referrals.ts';
import { expect } from 'vitest';
import { makeReport } from '#server/features/referrals/check.ts';
import { repairCounters } from '#server/features/referrals/repair.ts';
import { foldTeams } from '#server/features/users/team-jobs.ts';
import { correctTeams } from '#server/features/users/team-queries.ts';
import type { testEnvironment } from './environment.ts';
import { addAdmin } from './server.ts';

type Environment = Awaited<ReturnType<typeof testEnvironment>>;

type Approval = { id: string; digest: string; state: string; subject: string; facts: { key: string }[] };

/** Reports and repairs as two administrators request them; the test triggers the steps of the worker. */
export async function treeOf({ db, server }: Environment) {
  const never = new AbortController().signal;
  const deps = { database: db.worker, correctTeams };
  const clerk = async (username: string) => {
    await addAdmin(db.database, { username });
    return { token: await server.signIn(username) };
  };
  const ann = await clerk('ann');
  const bea = await clerk('bea');

  const call = (method: 'GET' | 'POST', path: string, { by = ann, body }: { by?: typeof ann; body?: unknown } = {}) =>
    server.call(method, `/api/${path}`, { token: by.token, ...(body !== undefined && { body }) });
  const post = async (path: string, body: unknown, by = ann) => {
    const { status, json } = await call('POST', path, { by, body });
    return { status, code: json['code'], report: json['report'] as TreeReport | undefined };
  };
  const ask = () => post('referrals/reports', {});
  const askRepair = ({ id, digest }: TreeReport) => post(`referrals/reports/${id}/repair`, { digest });
  const work = (id: string, signal = never) => makeReport(deps, id, signal);
  const repairNow = (id: string) => repairCounters(deps, id, never);

  async function read() {
    const { json } = await call('GET', 'referrals/reports');
    return json as { newest: TreeReport; finished: TreeReport };
  }

  async function check() {
    const { status, report } = await ask();
    expect(status).toBe(200);
    await work(report?.id ?? '');
    const { newest } = await read();
    expect(newest).toMatchObject({ id: report?.id, state: 'done' });
    return newest;
  }

  async function requestFor(id: string) {
    const { json } = await call('GET', 'approvals?limit=100');
    const [newest] = (json['approvals'] as Approval[]).filter(({ subject }) => subject === id);
    if (!newest) throw new Error('No request was made.');
    return newest;
  }
  const decide = ({ id, digest }: Approval, more: object = {}, by = bea) =>
    post(`approvals/${id}/decide`, { decision: 'approve', digest, ...more }, by);

  /** Requests, approves and runs the repair. */
  async function repair(report: TreeReport) {
    expect(await askRepair(report)).toMatchObject({ status: 200 });
    expect(await decide(await requestFor(report.id))).toMatchObject({ status: 200 });
    await repairNow(report.id);
  }

  const actions = { ask, askRepair, work, repairNow, requestFor, decide };
  return { ann, call, read, check, repair, ...actions, ...listsOf(call), ...foldingOf(db) };
}

type Call = (method: 'GET', path: string) => Promise<{ status: number; json: Record<string, unknown> }>;

function listsOf(call: Call) {
  async function pages<R>(path: string, name: string) {
    const all: R[] = [];
    for (let next: string | number | null = ''; next !== null; ) {
      const { status, json } = await call('GET', `${path}${next === '' ? '' : `after=${next}`}`);
      expect(status, JSON.stringify(json)).toBe(200);
      all.push(...(json[name] as R[]));
      next = json['next'] as string | number | null;
    }
    return all;
  }
  return {
    findingsOf: (id: string, kind: FindingKind) =>
      pages<Finding>(`referrals/reports/${id}/findings?kind=${kind}&`, 'findings'),
    correctionsOf: (id: string) => pages<Wire<Correction>>(`referrals/reports/${id}/corrections?`, 'corrections'),
  };
}

function foldingOf({ worker, owner }: Environment['db']) {
  const fold = (most = {}) => foldTeams(worker, most);
  return {
    fold,
    /** Folds until no delta is left. */
    async foldAll(most = {}) {
      while ((await owner.selectFrom('teamDelta').select('userId').limit(1).execute()).length > 0) await fold(most);
    },
  };
}

/** The type as JSON, where amounts are strings. */
type Wire<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] extends object ? Wire<T[K]> : T[K] };
