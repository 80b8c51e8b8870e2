import { splitPool } from '../contract/src/formulas.ts';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { conclude, isFull } from './history/conclude.ts';
import { rounded } from './lists/samples.ts';
import { ask, start, openFixture } from './payout/fixture.ts';

/* Pays a distribution to very many holders: every payment matches splitPool, and the payments sum to the pool. */
const holders = isFull ? 1_000_000 : 100_000;

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const fixture = everything.use(await openFixture(postgres.url, holders));
// No number of shares divides this pool evenly, so rounding leaves very many units over.
const pool = 999_999_999_999_989n;
await fixture.pool.query(
  `insert into job_settings (job, version, settings, effective_from)
   select job, 2, settings || '{"amount": "999999999.999989"}', effective_from from job_settings where job = 'gmp-distro'`,
);

const { id, day } = await fixture.nextRun('gmp-distro', 'GMP');
const planned = await ask(fixture.payers[0], 'plan', id);
await start(fixture.pool, id);
const paid = await ask(fixture.payers[0], 'pay', id);

const { rows: held } = await fixture.pool.query<{ id: string; shares: bigint }>(
  'select user_id as id, gmp_shares as shares from user_total',
);
const right = splitPool(pool, held);
const { rows: transfers } = await fixture.pool.query<{ id: string; units: bigint }>(
  `select user_id as id, units from transfer where day = $1 and kind = 'gmp'`,
  [day],
);
const wrong = transfers.filter((one) => right.get(one.id) !== one.units).length;
const sum = transfers.reduce((all, { units }) => all + units, 0n);
const faults = [
  ...(wrong > 0 ? [`${wrong} payments differ from the rule`] : []),
  ...(sum === pool ? [] : [`the payments sum to ${sum} instead of ${pool}`]),
  ...(transfers.length === holders ? [] : [`${transfers.length} of ${holders} holders were paid`]),
];
const ms = planned.ms + paid.ms;
const figures = {
  holders,
  pool: String(pool),
  sum: String(sum),
  wrong,
  microsecondsEach: rounded((ms * 1_000) / holders),
};
const rssMb = Math.round(Math.max(planned.rssMb, paid.rssMb));
conclude({ bench: 'distribution', faults, details: { ...figures, rssMb } });
