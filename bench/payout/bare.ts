import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import {
  CamelCasePlugin,
  type CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import type { Tx } from '../../server/src/core/db/db.ts';
import { nothingDropped, updatePaid } from '../../server/src/features/runs/paying/pay-queries.ts';
import { postChunk } from '../../server/src/features/runs/paying/pay.ts';
import { insertChunk } from '../../server/src/features/runs/planning/plan-queries.ts';
import { planOf } from '../../server/src/features/runs/kinds/kinds.ts';
import { lookUpByKey } from '../../server/src/features/runs/store/run-queries.ts';
import { endStakes } from '../../server/src/features/staking/ends.ts';

/** Records statements instead of sending them. */
function recorder() {
  const statements: string[] = [];
  const connection = {
    executeQuery: async (query: CompiledQuery) => {
      statements.push(`${literal(query)};`);
      return { rows: [] };
    },
    streamQuery: () => {
      throw new Error('Nothing is streamed.');
    },
  };
  const driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: async () => void statements.push('begin;'),
    commitTransaction: async () => void statements.push('commit;'),
    rollbackTransaction: async () => void statements.push('rollback;'),
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  };
  const database = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [new CamelCasePlugin()],
  });
  const transaction = (work: (tx: Tx) => Promise<unknown>) =>
    database.transaction().execute((tx) => work(tx as unknown as Tx));
  return { statements, transaction };
}

const literal = ({ sql, parameters }: CompiledQuery) =>
  sql.replaceAll(/\$(\d+)/g, (_, place: string) => {
    const value = parameters[Number(place) - 1];
    if (value === null || value === undefined) return 'null';
    if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
    return pg.escapeLiteral(typeof value === 'object' ? JSON.stringify(value) : `${value as string | bigint}`);
  });

type Run = Parameters<typeof planOf>[0];
type Paid = Parameters<typeof postChunk>[1];
export type Chunk = { no: number; after: string; to: string };
export type PlannedChunk = Paid['chunk'];

/** Returns the statements with which a plan writes its chunks, without its reads and checks. */
export async function planScript(run: Run, chunks: Chunk[]) {
  const { statements, transaction } = recorder();
  const plan = planOf(run);
  for (const { no, ...range } of chunks) {
    await transaction(async (tx) => {
      await lookUpByKey(tx);
      await insertChunk(tx, { run, plan, no, range, inputs: {} });
    });
  }
  return statements.join('\n');
}

/** Returns the statements with which the product pays the chunks, without the reads that check them. */
export async function payScript(run: Paid['run'], chunks: PlannedChunk[]) {
  const { statements, transaction } = recorder();
  for (const chunk of chunks) {
    await transaction(async (tx) => {
      await lookUpByKey(tx);
      await postChunk(tx, { run, chunk, hasDropped: false, endStakes });
      await updatePaid(tx, run.id, { no: chunk.no, transfers: 0n, dropped: nothingDropped });
    });
  }
  return statements.join('\n');
}

/** Opens the baseline, a psql process. `run` sends it statements and returns how many milliseconds they took. */
export function openPsql(url: string) {
  const psql = spawn('psql', ['--no-psqlrc', '--quiet', '--output=/dev/null', '-v', 'ON_ERROR_STOP=1', url], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PGOPTIONS: '-c jit=off -c timezone=UTC' },
  });
  const exited = once(psql, 'exit');
  const answers = createInterface({ input: psql.stdout })[Symbol.asyncIterator]();
  const run = async (script: string) => {
    const started = performance.now();
    psql.stdin.write(`${script}\n\\echo done\n`);
    const { done } = await answers.next();
    if (done) throw new Error('psql ended before its statements did.');
    return performance.now() - started;
  };
  return {
    run,
    async [Symbol.asyncDispose]() {
      psql.stdin.end();
      await exited;
    },
  };
}
