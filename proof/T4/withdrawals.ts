import { addUser } from '../../server/src/core/testing/user.ts';
import { addWithdrawal } from '../../server/src/core/testing/transfers.ts';
import type { Chance } from '../processes/chance.ts';
import { faultsOf, type Fixture } from '../processes/fixture.ts';
import { logProgress } from '../processes/verdict.ts';
import type { ProcessGroup, SignedInAdmin } from './process-group.ts';
import { callsAtOnce, count, emptyTally, storm, type Tally } from './storm.ts';

/** Twice the amount that one administrator may pay alone. */
const units = 2_000_000_000n;
const concurrentRequests = 8;
/** Calls that decide one request wait for each other, so several requests are decided concurrently. */
const concurrentStorms = 3;

type Waiting = { id: string; subject: string; digest: string };

/** Adds withdrawals that need a second approver, and has the first administrator request the approvals. */
async function requestApprovals(fixture: Fixture, processes: ProcessGroup, wanted: number) {
  const [requester] = processes.admins;
  const [caller] = processes.callers;
  if (!requester || !caller) throw new Error('There is nobody to ask.');
  const requestOne = async () => {
    const { id: userId } = await addUser(fixture.owner);
    const id = await addWithdrawal(fixture.owner, { userId, units });
    const { status, json } = await caller.call('POST', `/api/withdrawals/${id}/approve`, {
      token: requester.token,
      // Already sent, so that the approval pays it and the storm can count its effect.
      body: { reference: `proof ${id}` },
    });
    if (status !== 200) throw new Error(`The withdrawal was not asked for: ${JSON.stringify(json)}`);
  };
  let left = wanted;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await requestOne();
    }
  };
  await Promise.all(Array.from({ length: concurrentRequests }, lane));
  return requester;
}

async function listWaiting({ pool }: Fixture) {
  const { rows } = await pool.query<Waiting>(
    `select id, subject_id as subject, digest from approval where kind = 'withdrawal' and state = 'waiting' order by id`,
  );
  return rows;
}

/** Decides each request with fifty concurrent calls. Returns the responses and the effects. */
export async function decideWithdrawals(
  fixture: Fixture,
  processes: ProcessGroup,
  options: { wanted: number; chance: Chance },
) {
  const requester = await requestApprovals(fixture, processes, options.wanted);
  const waiting = await listWaiting(fixture);
  logProgress(`${waiting.length} withdrawals wait for a second approver`);
  const tally = emptyTally();
  const left = waiting.values();
  const lane = async () => {
    for (const { id, digest } of left) {
      const call = { path: `/api/approvals/${id}/decide`, body: { decision: 'approve', digest } };
      count(tally, await storm(processes, call, options.chance), requester.id);
      if (tally.calls % (100 * callsAtOnce) === 0) logProgress(`${tally.calls} calls are answered`);
    }
  };
  await Promise.all(Array.from({ length: concurrentStorms }, lane));
  return { tally, ...(await effectsOf(fixture, { requester, tally, waiting })) };
}

type Decided = { requester: SignedInAdmin; tally: Tally; waiting: Waiting[] };
type Effects = { requests: number; single: number; several: number; none: number; selfApproved: number };

/** Counts the effects in the tables, not in the responses. */
async function effectsOf(fixture: Fixture, { requester, tally, waiting }: Decided) {
  const { rows } = await fixture.pool.query<Effects>(
    `with settling as (
       select cause_id, count(*) as times from transfer where kind = 'withdrawal' and part = 1 group by cause_id
     ),
     effect as (
       select approval.id, coalesce(settling.times, 0) as settled,
         (select count(*) from audit_entry where action = 'approvals.approve' and subject_id = approval.subject_id::text)
           as said,
         approval.state = 'approved' and withdrawal.status = 'Completed' and withdrawal.decided_by = approval.decided_by
           and withdrawal.prepared_by = approval.requested_by and approval.requested_by = $1 as fits,
         approval.decided_by = approval.requested_by or withdrawal.decided_by = withdrawal.prepared_by as by_the_asker
       from approval join withdrawal on withdrawal.id = approval.subject_id
         left join settling on settling.cause_id = approval.subject_id
       where approval.id = any($2::uuid[])
     )
     select count(*)::int as requests,
       (count(*) filter (where settled = 1 and said = 1 and fits))::int as single,
       (count(*) filter (where settled > 1 or said > 1))::int as several,
       (count(*) filter (where settled = 0))::int as none,
       (count(*) filter (where by_the_asker))::int as "selfApproved"
     from effect`,
    [requester.id, waiting.map(({ id }) => id)],
  );
  const effects = rows[0] ?? { requests: 0, single: 0, several: 0, none: 0, selfApproved: 0 };
  const faults = await faultsOf(fixture);
  const selfApprovals = Math.max(effects.selfApproved, tally.selfDone);
  const once = effects.single === waiting.length && tally.done === waiting.length;
  return { ...effects, selfApprovals, faults, sound: once && selfApprovals === 0 && faults.length === 0 };
}
