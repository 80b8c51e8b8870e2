import { randomUUID } from 'node:crypto';
import type { ApprovalKind } from 'contract/approvals.ts';
import type { JobName, RunKind } from 'contract/run-kinds.ts';
import { decideApproval } from '#server/core/approvals/service.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { effectsOf } from '#server/effects.ts';
import { readJob, saveJob } from '#server/features/jobs/service.ts';
import { adjust } from '#server/core/ledger/adjust.ts';
import { replan } from '#server/features/runs/planning/replan.ts';
import { owedByRuns } from '#server/features/runs/paying/start.ts';
import { triggerDueRuns } from '#server/features/runs/schedule/due.ts';
import { payRuns } from '#server/features/runs/paying/pay.ts';
import { planRun } from '#server/features/runs/planning/plan.ts';
import { endStakes } from '#server/features/staking/ends.ts';
import { planManually } from '#server/features/runs/planning/create.ts';
import { planReversal } from '#server/features/runs/planning/reverse.ts';
import { startRun } from '#server/features/runs/paying/actions.ts';

export type Office = Awaited<ReturnType<typeof openOffice>>;
type Colleague = 'admin' | 'ines.moreau' | 'tomasz.lind' | 'kenji.sato';

const never = new AbortController().signal;
/** The queue is not used: `processRuns` does the work immediately. */
const enqueue = async () => undefined;

/** The demo's administrators, scheduler and worker. They call the same functions as the routes and the worker. */
export async function openOffice(database: Database) {
  const actors = await readActors(database);
  const as = <T>(who: Colleague, work: (tx: Tx, actor: Actor) => Promise<T>) => {
    const actor = actors.get(who);
    if (!actor) throw new Error(`The demo has no administrator ${who}.`);
    return database.transaction().execute((tx) => work(tx, actor));
  };

  const processRuns = async () => {
    for (const { id } of await runsIn(database, 'planning')) await planRun({ database }, id, never);
    await payRuns({ database, endStakes }, never);
  };

  const decide = async (who: Colleague, kind: ApprovalKind, reason?: string) => {
    const { id, digest } = await newestRequest(database, kind).executeTakeFirstOrThrow();
    const decision = reason === undefined ? 'approve' : 'deny';
    const outcome = await as(who, (tx, actor) =>
      decideApproval(tx, { actor, id, decision, digest, reason }, { effects: effectsOf(enqueue), ...noAlone }),
    );
    if ('refusal' in outcome) throw new Error(`The demo's request was refused: ${outcome.refusal}.`);
    await processRuns();
  };

  return {
    database,
    as,
    trigger: async (now: Date) => {
      await triggerDueRuns(database, { enqueue, now });
      await processRuns();
    },
    saveSettings: (who: Colleague, job: JobName, { effectiveFrom, ...change }: SettingsChange) =>
      as(who, async (tx, actor) => {
        const { settings, version } = await readJob(tx, job);
        await saveJob(tx, { job, actor, settings: Object.assign({}, settings, change), version, effectiveFrom });
      }),
    approve: (who: Colleague, kind: ApprovalKind) => decide(who, kind),
    /** Approves the newest request, if there is one: on some days the amount is small enough for one administrator. */
    approveIfRequested: async (who: Colleague, kind: ApprovalKind) => {
      if (await newestRequest(database, kind).executeTakeFirst()) await decide(who, kind);
    },
    deny: (who: Colleague, kind: ApprovalKind, reason: string) => decide(who, kind, reason),
    plan: async (who: Colleague, kind: RunKind, now: Date) => {
      await as(who, (tx, actor) => planManually(tx, { actor, enqueue, kind, now }));
      await processRuns();
    },
    reverse: async (who: Colleague, run: { id: string }, reason: string) => {
      await as(who, (tx, actor) => planReversal(tx, { actor, enqueue, id: run.id, reason }));
      await processRuns();
    },
    replan: async (who: Colleague, run: { id: string }) => {
      await as(who, (tx, actor) => replan(tx, { actor, enqueue, id: run.id }));
      await processRuns();
    },
    /** Starts the planned runs, or requests their approval. */
    start: async (who: Colleague) => {
      for (const { id, planHash } of await runsIn(database, 'planned')) {
        await as(who, (tx, actor) => startRun(tx, { actor, id, planHash: planHash ?? '' }));
      }
      await processRuns();
    },
    adjust: (who: Colleague, wanted: { user: string; amount: string; reason: string }) =>
      as(who, (tx, actor) => adjust(tx, { actor, id: randomUUID(), asset: 'USD', owed: owedByRuns, ...wanted })),
  };
}

/** The changed fields, and optionally the day from which they apply. */
type SettingsChange = Record<string, unknown> & { effectiveFrom?: string };

const noAlone = { aloneAfterSeconds: null };

async function readActors(database: Database) {
  const admins = await database.selectFrom('admin').select(['id', 'username', 'role', 'permissionSet']).execute();
  const session = {
    sessionId: '',
    mustChangePassword: false,
    sessionEndsAt: new Date(),
    sessionAgeSeconds: 0,
    factor: null,
  };
  return new Map<string, Actor>(admins.map((admin) => [admin.username, { ...admin, ...session }]));
}

const runsIn = (database: Database, state: 'planning' | 'planned' | 'running') =>
  database.selectFrom('run').select(['id', 'planHash']).where('state', '=', state).execute();

function newestRequest(database: Database, kind: ApprovalKind) {
  return database
    .selectFrom('approval')
    .select(['id', 'digest'])
    .where('kind', '=', kind)
    .where('state', '=', 'waiting')
    .orderBy('requestedAt', 'desc')
    .limit(1);
}
