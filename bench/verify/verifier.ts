import type { VerificationForm } from '../../contract/src/ledger-verification.ts';
import { sealAuditWith } from '../../server/src/core/audit/key.ts';
import { connect } from '../../server/src/core/db/db.ts';
import { verifyLedger } from '../../server/src/core/ledger/verification.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';
import { bookQuestions } from '../../server/src/verify.ts';

/*
 * Verifies the ledger in a process that does nothing else, so that its memory can be measured. A message names the form;
 * the reply has the verdict, the duration and the peak memory of the process.
 */
const [url = ''] = process.argv.slice(2);
sealAuditWith(testConfig(url).audit.key);
const { database } = connect({
  url,
  role: 'bursar_worker',
  connections: 1,
  statementTimeoutMs: 4 * 3_600_000,
  onLostConnection: () => undefined,
});

async function verify(form: VerificationForm) {
  const started = performance.now();
  const verified = await verifyLedger(database, { form, questions: bookQuestions });
  if (!verified) throw new Error('Another verification is running.');
  const { transfers, differences } = verified;
  const ms = performance.now() - started;
  const rssMb = process.resourceUsage().maxRSS / 1024;
  return { form: verified.form, transfers: Number(transfers), differences, ms, rssMb };
}

export type Verified = Awaited<ReturnType<typeof verify>>;

process.on('message', (form: VerificationForm) => {
  verify(form).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
