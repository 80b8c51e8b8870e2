import { connect } from '../../server/src/db/db.ts';
import { payNext, payRun } from '../../server/src/runs/pay.ts';
import { planRun } from '../../server/src/runs/plan.ts';
import { sealAuditWith } from '../../server/src/audit/key.ts';
import { endStakes } from '../../server/src/staking/ends.ts';
import { testConfig } from '../../server/src/testing/config.ts';
import type { Step } from './site.ts';

/*
 * The worker's own code in a process that does nothing else, so that its memory can be measured. It is asked to plan or
 * to pay a run, or a chunk of it, and answers how long that took and how much memory the process has ever held.
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

type Wish = { step: Step; id: string };

const steps: Record<Step, (id: string) => Promise<unknown>> = {
  plan: (id) => planRun(means, id, never),
  pay: (id) => payRun(means, id, never),
  'pay-chunk': async (id) => {
    if ((await payNext(means, id)) !== 'paid') throw new Error(`No chunk of ${id} was paid.`);
  },
};

async function work({ step, id }: Wish) {
  const began = performance.now();
  await steps[step](id);
  return { ms: performance.now() - began, rssMb: process.resourceUsage().maxRSS / 1024 };
}

process.on('message', (wish: Wish) => {
  work(wish).then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => void database.destroy());
