import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from 'contract/runs.ts';
import type { Chance } from '../processes/chance.ts';
import { setRunLimit, type Fixture } from '../processes/fixture.ts';
import { compareDays, dayAfter, isFlawless, placeStakes } from '../processes/stakes.ts';
import { logProgress } from '../processes/verdict.ts';
import type { ProcessGroup } from './process-group.ts';
import { count, emptyTally, storm } from './storm.ts';

const users = 60;
const pollMs = 100;
const patienceMs = 60_000;

/** Every run needs a second approver: fifty concurrent calls start it, then fifty concurrent calls approve it. */
export async function approveRuns(
  fixture: Fixture,
  processes: ProcessGroup,
  { rounds, chance }: { rounds: number; chance: Chance },
) {
  const firstDay = dayAfter(new Date().toISOString().slice(0, 10), -rounds);
  await placeStakes(fixture.owner, { users, firstDay, enabled: false });
  await setRunLimit(fixture, 0n);
  const tally = emptyTally();
  let asked = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { id, planHash } = await planned(processes);
    const started = emptyTally();
    count(started, await storm(processes, { path: `/api/runs/${id}/start`, body: { planHash } }, chance), '');
    asked += started.done;
    const waiting = await requestOf(fixture, id);
    const decide = {
      path: `/api/approvals/${waiting.id}/decide`,
      body: { decision: 'approve', digest: waiting.digest },
    };
    count(tally, await storm(processes, decide, chance), waiting.requestedBy);
    await stateOf(processes, 'completed');
    logProgress(`a run was asked for ${started.done} time, and approved ${tally.done} in all`);
  }
  const days = Array.from({ length: rounds }, (_, at) => dayAfter(firstDay, at));
  const paid = await compareDays(fixture.owner, days);
  const { twoAdmins } = await decidersOf(fixture);
  const once = asked === rounds && tally.done === rounds && twoAdmins === rounds && tally.selfDone === 0;
  return {
    rounds,
    asked,
    approved: tally.done,
    twoAdmins,
    selfApprovals: tally.selfDone,
    paid,
    tally,
    sound: once && isFlawless(paid),
  };
}

async function newest({ callers, admins: [admin] }: ProcessGroup) {
  const [caller] = callers;
  if (!caller || !admin) throw new Error('There is nobody to ask.');
  const { json } = await caller.call('GET', '/api/runs?kind=stake-payout&limit=1', { token: admin.token });
  const [run] = json['runs'] as Pick<Run, 'id' | 'state' | 'planHash'>[];
  return run;
}

async function stateOf(processes: ProcessGroup, wanted: Run['state']) {
  for (const latest = Date.now() + patienceMs; Date.now() < latest; await wait(pollMs)) {
    const run = await newest(processes);
    if (run?.state === wanted) return run;
  }
  throw new Error(`The run did not become ${wanted} in time.`);
}

async function planned(processes: ProcessGroup) {
  const [caller] = processes.callers;
  const [admin] = processes.admins;
  if (caller && admin) await caller.call('POST', '/api/runs', { token: admin.token, body: { kind: 'stake-payout' } });
  return stateOf(processes, 'planned');
}

async function requestOf({ pool }: Fixture, runId: string) {
  const { rows } = await pool.query<{ id: string; digest: string; requestedBy: string }>(
    `select id, digest, requested_by as "requestedBy" from approval where subject_id = $1 and state = 'waiting'`,
    [runId],
  );
  const [request] = rows;
  if (!request || rows.length > 1) throw new Error(`${rows.length} requests wait for the run ${runId}.`);
  return request;
}

/** Counts the runs that two different administrators started and approved, the same two as in the approval. */
async function decidersOf({ pool }: Fixture) {
  const { rows } = await pool.query<{ twoAdmins: number }>(
    `select count(*)::int as "twoAdmins" from run join approval on approval.subject_id = run.id
     where run.state = 'completed' and approval.state = 'approved' and approval.rule = 'second' and run.started_by = approval.requested_by
       and run.approved_by = approval.decided_by and run.started_by <> run.approved_by`,
  );
  return rows[0] ?? { twoAdmins: 0 };
}
