import { poolOf, splitPool } from 'contract/formulas.ts';
import { sql } from 'kysely';
import { runQuery } from '../../server/src/core/db/db.ts';
import { fillTreasury } from '../../server/src/core/testing/stakes.ts';
import { deposit, postDeposits } from '../../server/src/core/testing/transfers.ts';
import type { Fixture } from '../processes/fixture.ts';
import { placeStakes } from '../processes/stakes.ts';
import type { Schedule } from './schedule.ts';

const stakers = 4;
const percentage = 37.5;
const amount = { units: 100_000_000n, text: '100.00' };

/** Adds users with stakes and shares. Both jobs are enabled from the start of the first day. */
export async function prepareWorld(
  { owner }: Fixture,
  { firstDay, schedule }: { firstDay: string; schedule: Schedule },
) {
  await placeStakes(owner, { users: stakers, firstDay, enabled: true });
  await fillTreasury(owner, 'GMP', 10n ** 12n);
  const users = await owner.selectFrom('platformUser').select('id').orderBy('id').execute();
  await owner.transaction().execute((tx) =>
    postDeposits(
      tx,
      users.map(({ id: userId }, at) => deposit({ userId, asset: 'SHARE', units: BigInt(3 + at * 4) })),
    ),
  );
  const settings = { ...schedule, amount: amount.text, percentage, enabled: true };
  await runQuery(
    owner,
    sql`insert into job_settings (job, version, settings, saved_at, effective_from)
      values ('gmp-distro', 2, ${JSON.stringify(settings)}::jsonb, ${firstDay}::date, '1970-01-01')`,
  );
}

/** Returns what each user gets from one distribution. */
export async function sharesOf({ owner }: Fixture) {
  const held = await owner.selectFrom('userTotal').select(['userId', 'gmpShares']).execute();
  const pool = poolOf(amount.units, percentage * 100);
  return splitPool(
    pool,
    held.map(({ userId: id, gmpShares: shares }) => ({ id, shares })),
  );
}
