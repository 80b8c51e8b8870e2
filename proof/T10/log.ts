import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import type { KeyObject } from 'node:crypto';
import type { FindingCode } from '../../contract/src/audit-verification.ts';
import { findUnsigned } from '../../server/src/core/approvals/unsigned.ts';
import type { Entry } from '../../server/src/core/audit/queries.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';
import type { Chance } from '../processes/chance.ts';
import type { Fixture } from '../processes/fixture.ts';
import type { Audit } from './audit.ts';

export const rowsOfLog = 120;
const minuteMs = 60_000;
/** The newest row is so old that it must have been published. */
const newestMinutesAgo = 8;
const actions = ['tickets.create', 'users.change', 'withdrawals.approve', 'approvals.limit'] as const;

export type Log = Awaited<ReturnType<typeof openLog>>;

/** Writes a log of an hour with heads at a few of its rows, and keeps a copy with which it can be put back. */
export async function openLog({ owner }: Fixture, audit: Audit, chance: Chance) {
  const { signingKey, verifyingKey } = testConfig('postgres://unused').audit;
  const headFile = path.join(tmpdir(), `bursar-proof-heads-${process.pid}.jsonl`);
  const rows = writeRows(audit, chance);

  /** Works as someone with the database could: no trigger and no constraint stops them. */
  const withoutTriggers = (work: (run: (statement: string) => Promise<unknown>) => Promise<unknown>) =>
    owner.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      await work((statement) => sql.raw(statement).execute(tx));
    });
  const putBack = () =>
    owner.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      await sql`delete from audit_entry`.execute(tx);
      await tx.insertInto('auditEntry').values(rows).execute();
    });
  const publishAll = async () => {
    await rm(headFile, { force: true });
    const published = [rowsOfLog / 4, rowsOfLog / 2, rowsOfLog - 10];
    for (const seq of published) await publishRow({ audit, rows, headFile, signingKey }, { seq, minutesAgo: 10 });
    await audit.publishHead(owner, { signingKey, headFile });
  };
  await putBack();
  await publishAll();
  const findings = async () =>
    (
      await audit.verifyEverything(owner, { heads: { verifyingKey, headFile }, verifyDecisions: findUnsigned })
    ).findings.map(({ code, where }): { code: FindingCode; where: string } => ({ code, where: where.join() }));
  /** The newest head would grow too old in a long proof. */
  const keepFresh = () => audit.publishHead(owner, { signingKey, headFile });
  const isSound = async () => {
    await keepFresh();
    return (await findings()).length === 0;
  };
  return {
    audit,
    rows,
    withoutTriggers,
    putBack,
    publishAll,
    keepFresh,
    findings,
    isSound,
    /** Replaces all heads by one of this row, as if the publisher had stopped then. */
    publishOnly: async (seq: number, minutesAgo: number) => {
      await rm(headFile, { force: true });
      await publishRow({ audit, rows, headFile, signingKey }, { seq, minutesAgo });
    },
    [Symbol.asyncDispose]: () => rm(headFile, { force: true }),
  };
}

function writeRows({ sealOf, genesisSeal }: Audit, chance: Chance) {
  const rows: Entry[] = [];
  for (let seq = 1; seq <= rowsOfLog; seq += 1) {
    const minutesAgo = newestMinutesAgo + (rowsOfLog - seq) / 2;
    const entry = {
      seq: BigInt(seq),
      at: new Date(Date.now() - Math.round(minutesAgo * minuteMs)),
      actorId: null,
      apiKeyId: null,
      action: chance.one(actions),
      subjectId: `subject ${chance.whole(20)}`,
      details: JSON.stringify({ turn: seq, amount: chance.whole(1_000) }),
    };
    rows.push({ ...entry, seal: sealOf(rows.at(-1)?.seal ?? genesisSeal, entry) });
  }
  return rows;
}

type Place = { audit: Audit; rows: Entry[]; headFile: string; signingKey: KeyObject };

async function publishRow(
  { audit, rows, headFile, signingKey }: Place,
  { seq, minutesAgo }: { seq: number; minutesAgo: number },
) {
  const row = rows[seq - 1];
  if (!row) throw new Error(`The log has no row ${seq}.`);
  const at = new Date(Date.now() - minutesAgo * minuteMs).toISOString();
  await audit.appendLine(
    headFile,
    audit.signLine({ seq: String(seq), seal: row.seal.toString('hex'), at }, signingKey),
  );
}
