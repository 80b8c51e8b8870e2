import { createHmac, randomBytes } from 'node:crypto';
import type { FindingCode } from '../../contract/src/audit-verification.ts';
import type { Chance } from '../processes/chance.ts';
import { type Log, rowsOfLog } from './log.ts';

/** What was done to the log, and what a verification must find: a code and, where it is certain, the row. */
type Tampering = { what: string; code: FindingCode; row?: number };

/** The edits of one row. */
const edits = [
  `details = '{"forged":true}'`,
  `details = details || ' '`,
  `action = 'tasks.create'`,
  `subject_id = null`,
  `at = at - interval '1 millisecond'`,
  `seal = sha256('forged')`,
] as const;

const someRow = (chance: Chance, from = 1, to = rowsOfLog) => from + chance.whole(to - from + 1);

const doers = {
  async edit({ withoutTriggers }: Log, chance: Chance) {
    const [row, edit] = [someRow(chance), chance.one(edits)];
    await withoutTriggers((run) => run(`update audit_entry set ${edit} where seq = ${row}`));
    return { what: `row ${row}: ${edit}`, code: 'row-altered', row };
  },

  async delete({ withoutTriggers }: Log, chance: Chance) {
    const [row, closesGap] = [someRow(chance, 1, rowsOfLog - 1), chance.happens(0.5)];
    await withoutTriggers(async (run) => {
      await run(`delete from audit_entry where seq = ${row}`);
      if (!closesGap) return;
      await run(`update audit_entry set seq = -(seq - 1) where seq > ${row}`);
      await run('update audit_entry set seq = -seq where seq < 0');
    });
    return { what: `row ${row} deleted`, code: closesGap ? 'row-altered' : 'row-missing', row };
  },

  async reorder({ withoutTriggers }: Log, chance: Chance) {
    const row = someRow(chance, 1, rowsOfLog - 1);
    const other = someRow(chance, row + 1);
    await withoutTriggers(async (run) => {
      await run(`update audit_entry set seq = -seq where seq in (${row}, ${other})`);
      await run(`update audit_entry set seq = ${row + other} + seq where seq < 0`);
    });
    return { what: `rows ${row} and ${other} swapped`, code: 'row-altered', row };
  },

  async cut({ withoutTriggers }: Log, chance: Chance) {
    const row = someRow(chance, 2);
    await withoutTriggers((run) => run(`delete from audit_entry where seq >= ${row}`));
    return { what: `rows from ${row} on cut`, code: 'head-cut' };
  },

  async rechain(log: Log, chance: Chance) {
    const [row, hasKey] = [someRow(chance), chance.happens(0.5)];
    await rechain(log, { from: row, hasKey });
    return hasKey
      ? { what: `sealed again from row ${row} on with the key`, code: 'head-altered' }
      : { what: `sealed again from row ${row} on with another key`, code: 'row-altered', row };
  },

  async 'stop publisher'({ publishOnly }: Log, chance: Chance) {
    const isOld = chance.happens(0.5);
    const seq = isOld ? rowsOfLog : someRow(chance, 1, rowsOfLog - 1);
    // Five minutes is the limit, for the newest head and for rows that wait for one.
    await publishOnly(seq, isOld ? 5.5 + chance.below(60) : chance.below(4.5));
    return {
      what: `published up to row ${seq}`,
      code: isOld ? 'publisher-stopped' : 'rows-unpublished',
      ...(!isOld && { row: seq + 1 }),
    };
  },
} satisfies Record<string, (log: Log, chance: Chance) => Promise<Tampering>>;

export type Kind = keyof typeof doers;
export const kinds = Object.keys(doers) as Kind[];

/** Changes a row and seals all rows from there on again, as someone who also has a key could. */
async function rechain({ audit, rows, withoutTriggers }: Log, { from, hasKey }: { from: number; hasKey: boolean }) {
  const foreignKey = randomBytes(32);
  let previous = rows[from - 2]?.seal ?? audit.genesisSeal;
  await withoutTriggers(async (run) => {
    for (const row of rows.slice(from - 1)) {
      const details = row.seq === BigInt(from) ? '{"forged":true}' : row.details;
      const seal = audit.sealOf(previous, { ...row, details });
      previous = hasKey ? seal : createHmac('sha256', foreignKey).update(seal).digest();
      await run(
        `update audit_entry set details = '${details}', seal = '\\x${previous.toString('hex')}' where seq = ${row.seq}`,
      );
    }
  });
}

/** Tampers with the log, verifies it and puts it back. */
export async function tamper(log: Log, kind: Kind, chance: Chance) {
  await log.keepFresh();
  const { what, code, row }: Tampering = await doers[kind](log, chance);
  const findings = await log.findings().catch((error: unknown) => [{ code: String(error), where: '' }]);
  await log.putBack();
  if (kind === 'stop publisher') await log.publishAll();
  const isFound = findings.some((found) => found.code === code && (row === undefined || found.where === String(row)));
  return { what: `${kind}: ${what}; found ${JSON.stringify(findings)}`, isFound };
}
