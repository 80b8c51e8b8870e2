import { sql } from 'kysely';
import { resealAll } from '#server/core/audit/demo.ts';
import { runQuery } from '#server/core/db/db.ts';
import { promoteUser } from '#server/features/users/promotions.ts';
import { setBlacklisted } from '#server/features/users/service.ts';
import { approveWithdrawal, rejectWithdrawal } from '#server/features/withdrawals/decide.ts';
import { type Report, settleWithdrawal } from '#server/features/withdrawals/settlement.ts';
import { runBackdated, backdateInstallation, type Step, withoutTriggers } from './backdate.ts';
import { walletOf } from './dice.ts';
import type { Owner } from './owner.ts';
import { type Office, openOffice } from './office.ts';
import { writeTickets } from './story-tickets.ts';
import { isoDay, type Story } from './story-time.ts';

/** Loads the last thirty days: scheduled payments, actions of administrators, incidents, and pending requests. */
export async function loadStory(owner: Owner, story: Story) {
  const office = await openOffice(owner.database);
  await backdateInstallation(owner.pool, story.daysAgo(300, '09:00'));
  for (const steps of timelineOf(story, office)) await runBackdated(owner.pool, steps);
  await writeTickets(owner.database, story);
  await withoutTriggers(owner.pool, resealAll);
}

/** Steps that belong together. They are all executed before their timestamps are moved. */
type Occasion = Step[];

/** Returns the occasions in order of time, because each depends on the state that the earlier ones left. */
function timelineOf(story: Story, office: Office) {
  const occasions: Occasion[] = [
    schedulesEnabled(story, office),
    ...workerTimes(story).map((at) => [{ at, happens: () => office.trigger(at) }]),
    promotion(story, office),
    wrongShares(story, office),
    wrongSharesCorrected(story, office),
    blacklisting(story, office),
    rankBonusPaid(story, office),
    goodwillDenied(story, office),
    depositCorrected(story, office),
    ...withdrawalsDecided(story, office),
    withdrawalsSent(story, office),
    rewardChangeRequested(story, office),
    rankBonusWaiting(story, office),
    withdrawalWaiting(story, office),
  ];
  return occasions.toSorted(([one], [other]) => Number(one?.at) - Number(other?.at));
}

function schedulesEnabled({ daysAgo }: Story, office: Office): Occasion {
  return [
    { at: daysAgo(30, '09:14'), happens: () => office.saveSettings('admin', 'stake-payout', { enabled: true }) },
    { at: daysAgo(30, '09:17'), happens: () => office.approve('ines.moreau', 'settings') },
    {
      at: daysAgo(30, '09:21'),
      happens: () =>
        office.saveSettings('ines.moreau', 'gmp-distro', {
          enabled: true,
          frequency: 'Weekly',
          weekday: 1,
          time: '06:00',
        }),
    },
    { at: daysAgo(30, '09:40'), happens: () => office.approve('admin', 'settings') },
  ];
}

/** The worker was down between these days, counted back from now, so two days were paid late. */
const downFrom = 19;
const upAgain = 18;

/** When the worker checks for due runs: after each midnight and each distribution's time, except while it was down. */
function workerTimes({ now, daysAgo }: Story) {
  const times = [daysAgo(upAgain, '07:42'), daysAgo(upAgain, '07:43')];
  for (let days = 29; days >= 0; days -= 1) {
    if (days === downFrom || days === upAgain) continue;
    times.push(daysAgo(days, '00:00:40'));
    if (daysAgo(days, '00:00').getUTCDay() === 1) times.push(daysAgo(days, '06:00:25'));
  }
  return times.filter((at) => at <= now);
}

function promotion(story: Story, office: Office): Occasion {
  const promote = async () => {
    const { number } = await stakerOf(office, story, 'first');
    await office.as('tomasz.lind', (tx, actor) =>
      promoteUser(tx, { actor, userId: number, newRank: 'Silver', reason: 'Agreed with the community team.' }),
    );
  };
  return [
    { at: story.daysAgo(16, '11:05'), happens: promote },
    { at: story.daysAgo(16, '11:31'), happens: () => office.approve('ines.moreau', 'promotion') },
  ];
}

const shares = { baseReward: 5_000, bonusReward: 2_000 };
const wrong = { baseReward: 6_000, bonusReward: 1_000 };
/** The day that was paid with the wrong shares, counted back from now. */
const wrongDay = 13;

function wrongShares({ daysAgo }: Story, office: Office): Occasion {
  return [
    { at: daysAgo(wrongDay, '15:20'), happens: () => office.saveSettings('tomasz.lind', 'stake-payout', wrong) },
    { at: daysAgo(wrongDay, '16:05'), happens: () => office.approve('ines.moreau', 'settings') },
  ];
}

/** A stake that ended on that day returns to its owner again, so the reversal may need a second approver. */
function wrongSharesCorrected({ daysAgo }: Story, office: Office): Occasion {
  const morning = (time: string) => daysAgo(wrongDay - 1, time);
  const day = isoDay(daysAgo(wrongDay, '00:00'));
  const wrongRun = () => payoutOf(office, day);
  const reason = 'Paid with the shares of next month’s plan: 60 and 10 in place of 50 and 20.';
  return [
    {
      at: morning('09:32'),
      happens: () => office.saveSettings('ines.moreau', 'stake-payout', { ...shares, effectiveFrom: day }),
    },
    { at: morning('09:41'), happens: () => office.approve('kenji.sato', 'settings') },
    { at: morning('09:50'), happens: async () => office.reverse('kenji.sato', await wrongRun(), reason) },
    { at: morning('09:53'), happens: () => office.start('kenji.sato') },
    { at: morning('09:58'), happens: () => office.approveIfRequested('ines.moreau', 'run') },
    { at: morning('10:02'), happens: async () => office.replan('kenji.sato', await wrongRun()) },
    { at: morning('10:04'), happens: () => office.start('kenji.sato') },
    { at: morning('10:11'), happens: () => office.approveIfRequested('ines.moreau', 'run') },
  ];
}

function blacklisting(story: Story, office: Office): Occasion {
  const blacklist = async () => {
    const { id } = await stakerOf(office, story, 'last');
    await office.as('ines.moreau', (tx, actor) =>
      setBlacklisted(tx, { actor, id, blacklisted: true, reason: 'Chargeback on a deposit' }),
    );
  };
  return [{ at: story.daysAgo(9, '14:48'), happens: blacklist }];
}

function rankBonusPaid({ lastWeek }: Story, office: Office): Occasion {
  const planned = lastWeek('10:15');
  return [
    { at: planned, happens: () => office.plan('kenji.sato', 'rank-bonus', planned) },
    { at: lastWeek('10:19'), happens: () => office.start('kenji.sato') },
  ];
}

function goodwillDenied(story: Story, office: Office): Occasion {
  const request = async () => {
    const { id: user } = await stakerOf(office, story, 'first');
    await office.adjust('kenji.sato', { user, amount: '150', reason: 'Goodwill for the two days without a worker.' });
  };
  const reason = 'Nothing was lost: both days were paid the next morning.';
  return [
    { at: story.daysAgo(6, '13:20'), happens: request },
    { at: story.daysAgo(6, '13:58'), happens: () => office.deny('ines.moreau', 'adjustment', reason) },
  ];
}

function depositCorrected(story: Story, office: Office): Occasion {
  const correct = async () => {
    const { id: user } = await stakerOf(office, story, 'first');
    await office.adjust('tomasz.lind', { user, amount: '24.50', reason: 'A deposit of 24.50 was not booked.' });
  };
  return [{ at: story.daysAgo(5, '10:40'), happens: correct }];
}

/** One withdrawal within the daily limit, one that is rejected, and one that needs a second approver. */
function withdrawalsDecided({ daysAgo }: Story, office: Office): Occasion[] {
  const yesterday = (time: string) => daysAgo(1, time);
  const pay = async () => {
    const { id } = await pendingOf(office, { before: yesterday('14:00'), first: 'smallest' });
    const reference = referenceOf(0);
    await office.as('kenji.sato', (tx, actor) => approveWithdrawal(tx, { actor, id, reference }));
  };
  const reject = async () => {
    const { id } = await pendingOf(office, { before: yesterday('14:00'), first: 'smallest' });
    const reason = 'The user asked to cancel it.';
    await office.as('kenji.sato', (tx, actor) => rejectWithdrawal(tx, { actor, id, reason }));
  };
  return [
    [{ at: yesterday('14:12'), happens: pay }],
    [{ at: yesterday('14:20'), happens: reject }],
    [
      { at: yesterday('15:10'), happens: () => payUntilOneWaits(office, 'tomasz.lind', yesterday('15:00')) },
      { at: yesterday('15:44'), happens: () => office.approve('ines.moreau', 'withdrawal') },
    ],
  ];
}

/** Withdrawals that are approved without a reference: one is not sent yet, and three have another outcome each. */
function withdrawalsSent({ daysAgo }: Story, office: Office): Occasion {
  const yesterday = (time: string) => daysAgo(1, time);
  const approved: string[] = [];
  const approve = async () => {
    // Each of them stays within the daily limit.
    for (const who of ['kenji.sato', 'tomasz.lind', 'ines.moreau', 'admin'] as const) {
      const { id } = await pendingOf(office, { before: yesterday('14:00'), first: 'smallest' });
      await office.as(who, (tx, actor) => approveWithdrawal(tx, { actor, id }));
      approved.push(id);
    }
  };
  const report = (place: number, outcome: Report) =>
    office.as('kenji.sato', (tx, actor) => settleWithdrawal(tx, { actor, id: approved[place] ?? '', ...outcome }));
  return [
    { at: yesterday('16:02'), happens: approve },
    { at: yesterday('16:10'), happens: () => report(1, { outcome: 'sent', reference: referenceOf(1) }) },
    { at: yesterday('16:12'), happens: () => report(2, { outcome: 'sent', reference: referenceOf(2) }) },
    { at: yesterday('16:20'), happens: () => report(3, { outcome: 'failed', reason: 'The wallet does not exist' }) },
    { at: yesterday('16:25'), happens: () => report(2, { outcome: 'unknown' }) },
  ];
}

const referenceOf = (number: number) => walletOf(number, 900);

/** Pays the largest withdrawals until the daily limit is used up and one needs a second approver. */
async function payUntilOneWaits(office: Office, who: 'tomasz.lind' | 'kenji.sato', before: Date) {
  for (;;) {
    const { id } = await pendingOf(office, { before, first: 'largest' });
    const { withdrawal } = await office.as(who, (tx, actor) => approveWithdrawal(tx, { actor, id }));
    if (withdrawal.state === 'requested') return;
  }
}

function rewardChangeRequested({ daysAgo }: Story, office: Office): Occasion {
  return [
    {
      at: daysAgo(1, '16:30'),
      happens: () => office.saveSettings('tomasz.lind', 'referral-check', { reward: 600 }),
    },
  ];
}

const quarterlyBonus = { rank: 'Gold', bonusAmount: 600_000_000n } as const;

/** A bonus that needs a second approver, so that a user of the demo can approve it. */
function rankBonusWaiting({ minutesAgo }: Story, office: Office): Occasion {
  const planned = minutesAgo(14);
  return [
    { at: minutesAgo(25), happens: () => office.saveSettings('kenji.sato', 'rank-bonus', quarterlyBonus) },
    { at: minutesAgo(18), happens: () => office.approve('ines.moreau', 'settings') },
    { at: planned, happens: () => office.plan('kenji.sato', 'rank-bonus', planned) },
    { at: minutesAgo(12), happens: () => office.start('kenji.sato') },
  ];
}

function withdrawalWaiting({ minutesAgo }: Story, office: Office): Occasion {
  return [{ at: minutesAgo(7), happens: () => payUntilOneWaits(office, 'kenji.sato', minutesAgo(60)) }];
}

/** Selects a user without a rank whose active stake is older than 25 days and has not ended. */
async function stakerOf({ database }: Office, { now }: Story, which: 'first' | 'last') {
  const order = sql.raw(which === 'first' ? 'asc' : 'desc');
  const [staker] = await runQuery<{ id: string; number: string }>(
    database,
    sql`
    select platform_user.id, platform_user.user_id as number from platform_user
    where platform_user.rank = 'none' and platform_user.blacklisted_at is null and exists (
      select from stake where stake.user_id = platform_user.id and stake.status = 'Active'
        and stake.created_at < ${now}::timestamptz - interval '25 days' and stake.ends_on > ${now}::date)
      and not exists (select from withdrawal where withdrawal.user_id = platform_user.id and withdrawal.status = 'Pending')
    order by platform_user.user_id ${order} limit 1`,
  );
  if (!staker) throw new Error('Nobody in the demo has a stake that fits the story.');
  return staker;
}

type PendingQuery = { before: Date; first: 'smallest' | 'largest' };

async function pendingOf({ database }: Office, { before, first }: PendingQuery) {
  const order = sql.raw(first === 'smallest' ? 'asc' : 'desc');
  const [found] = await runQuery<{ id: string }>(
    database,
    sql`
    select item.id from withdrawal as item join platform_user on platform_user.id = item.user_id
    where item.status = 'Pending' and platform_user.blacklisted_at is null and item.created_at < ${before}
      and not exists (select from approval where subject_id = item.id)
    order by item.amount_usd ${order} limit 1`,
  );
  if (!found) throw new Error('The demo has no more withdrawals that wait.');
  return found;
}

function payoutOf({ database }: Office, day: string) {
  return database
    .selectFrom('run')
    .select('id')
    .where('kind', '=', 'stake-payout')
    .where('period', '=', day)
    .where('reverses', 'is', null)
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirstOrThrow();
}
