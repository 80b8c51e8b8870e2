import { connect } from '../../server/src/db/db.ts';
import { payRun } from '../../server/src/runs/pay.ts';
import { planRun } from '../../server/src/runs/plan.ts';
import { sealAuditWith } from '../../server/src/audit/key.ts';
import { endStakes } from '../../server/src/staking/ends.ts';
import { testConfig } from '../../server/src/testing/config.ts';

/*
 * The worker's own code in a process that does nothing else, so that its memory can be measured. It is asked to plan or
 * to pay a run, and answers how long that took and how much memory the process has ever held.
 */
const [url = ''] = process.argv.slice(2);
sealAuditWith(testConfig(url).audit.key);
const { database } = connect({
  url,
  role: 'bursar_worker',
  connections: 4,
  statementTimeoutMs: 600_000,
  onLostConnection: () => undefined,
});
const means = { database, askFor: async () => undefined, endStakes };
const never = new AbortController().signal;

async function work({ step, id }: { step: 'plan' | 'pay'; id: string }) {
  const began = performance.now();
  await (step === 'plan' ? planRun(means, id, never) : payRun(means, id, never));
  return { ms: performance.now() - began, rssMb: process.resourceUsage().maxRSS / 1024 };
}

process.on('message', (wish: { step: 'plan' | 'pay'; id: string }) => {
  work(wish).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => void database.destroy());
