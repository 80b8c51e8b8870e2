import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { VerificationForm } from '../../contract/src/ledger-verification.ts';
import { sealAuditWith } from '../../server/src/core/audit/key.ts';
import { sealUnsealed } from '../../server/src/core/audit/record-seals.ts';
import { connect } from '../../server/src/core/db/db.ts';
import { rebuildLedger } from '../../server/src/core/ledger/demo.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { cloneTemplate } from '../../server/src/core/testing/template.ts';
import { ask, insertRun, start } from '../payout/fixture.ts';
import { fillLedger, firstDay } from './fill.ts';
import type { Verified } from './verifier.ts';

const longestFilling = 4 * 3_600_000;

const folder = path.join(import.meta.dirname, '..');

/** Opens a database with that many transfers, a process that verifies them and one that pays a day. */
export async function openLedger(postgresUrl: string, transfers: number) {
  await using opened = new AsyncDisposableStack();
  const { url, drop } = await cloneTemplate(postgresUrl);
  opened.defer(drop);
  const settings = { url, connections: 2, statementTimeoutMs: longestFilling, onLostConnection: () => undefined };
  const { database, pool } = connect(settings);
  opened.defer(() => database.destroy());
  console.error(`filling ${transfers.toLocaleString('en')} transfers …`);
  await fillLedger(pool, transfers, () => rebuildLedger(database));
  sealAuditWith(testConfig(url).audit.key);
  await database.transaction().execute((tx) => sealUnsealed(tx));
  const { id: admin } = await addAdmin(database, { username: 'bench' });
  const run = (program: string) => {
    const child = fork(path.join(folder, program), [url]);
    opened.defer(async () => {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    });
    return child;
  };
  const [verifier, payer] = [run('verify/verifier.ts'), run('payout/payer.ts')];
  const closing = opened.move();
  return {
    pool,
    async verify(form: VerificationForm) {
      verifier.send(form);
      const [done] = (await once(verifier, 'message')) as [Verified | { failed: string }];
      if ('failed' in done) throw new Error(done.failed);
      return done;
    },
    /** Pays the day after the history and returns how many stakes were paid. */
    async payDay() {
      const { id } = await insertRun(pool, { kind: 'stake-payout', asset: 'USD', on: firstDay, admin });
      await ask(payer, 'plan', id);
      await start(pool, id);
      await ask(payer, 'pay', id);
      const { rows } = await pool.query<{ lines: bigint }>('select lines from run where id = $1', [id]);
      return Number(rows[0]?.lines ?? 0n);
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
