import { EventEmitter, once } from 'node:events';
import { type Kysely, type KyselyPlugin, type QueryId, RawNode } from 'kysely';
import { connect } from '../../server/src/core/db/db.ts';
import type { DB } from '../../server/src/core/db/schema.gen.ts';
import { payNext, payRuns } from '../../server/src/features/runs/paying/pay.ts';
import { planRun } from '../../server/src/features/runs/planning/plan.ts';
import { sealAuditWith } from '../../server/src/core/audit/key.ts';
import { endStakes } from '../../server/src/features/staking/ends.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';
import type { Step } from './fixture.ts';

/*
 * Runs the worker's code in a process that does nothing else, so that its memory can be measured. A message has it plan
 * or pay a run, or a chunk of it; the reply has the duration and the peak memory of the process.
 */
const [url = ''] = process.argv.slice(2);
sealAuditWith(testConfig(url).audit.key);
const { database, pool } = connect({
  url,
  role: 'bursar_worker',
  connections: 4,
  statementTimeoutMs: 600_000,
  onLostConnection: () => undefined,
});
// This process waits during the turns of others, even inside a transaction, and must keep its connections.
pool.options.idleTimeoutMillis = 0;
pool.on('connect', (client) => void client.query('set idle_in_transaction_session_timeout = 0'));

const stops = new EventEmitter<{ reached: []; left: [] }>();
let chunkByChunk = false;
const toStopAt = new WeakSet<QueryId>();
/** Pauses a plan when it is about to read its snapshot: before it cuts its ranges and before each chunk. */
const stopping: KyselyPlugin = {
  transformQuery({ node, queryId }) {
    if (RawNode.is(node) && node.sqlFragments[0]?.startsWith('set transaction snapshot')) toStopAt.add(queryId);
    return node;
  },
  async transformResult({ queryId, result }) {
    if (!chunkByChunk || !toStopAt.has(queryId)) return result;
    const left = once(stops, 'left');
    stops.emit('reached');
    await left;
    return result;
  },
};

const paying = { database, endStakes };
const planning = { database: (database as Kysely<DB>).withPlugin(stopping) };
const never = new AbortController().signal;
let plan: Promise<void> | undefined;

/** Starts the plan, or resumes it where it paused. */
function resumePlan(id: string) {
  if (plan) stops.emit('left');
  plan ??= planRun(planning, id, never).finally(() => {
    plan = undefined;
  });
  return plan;
}

type Command = { step: Step; id: string };

const steps: Record<Step, (id: string) => Promise<unknown>> = {
  plan: (id) => {
    chunkByChunk = false;
    return resumePlan(id);
  },
  'plan-to-stop': (id) => {
    chunkByChunk = true;
    const reached = once(stops, 'reached');
    return Promise.race([reached, resumePlan(id).then(() => Promise.reject(new Error(`The plan of ${id} is made.`)))]);
  },
  pay: () => payRuns(paying, never),
  'pay-chunk': async (id) => {
    const paid = await payNext(paying);
    if (typeof paid === 'string' || paid.runId !== id) throw new Error(`No chunk of ${id} was paid.`);
  },
};

async function work({ step, id }: Command) {
  const started = performance.now();
  await steps[step](id);
  return { ms: performance.now() - started, rssMb: process.resourceUsage().maxRSS / 1024 };
}

process.on('message', (command: Command) => {
  work(command).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
