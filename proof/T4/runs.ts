import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from 'contract/runs.ts';
import type { Chance } from '../processes/chance.ts';
import { setRunLimit, type Site } from '../processes/site.ts';
import { compareDays, dayAfter, isFlawless, placeStakes } from '../processes/stakes.ts';
import { tell } from '../processes/verdict.ts';
import type { Offices } from './offices.ts';
import { count, emptyTally, storm } from './storm.ts';

const people = 60;
const pollMs = 100;
const patienceMs = 60_000;

/** Every run needs a second approver: fifty start it at once, then fifty approve it at once. */
export async function approveRuns(
  site: Site,
  offices: Offices,
  { rounds, chance }: { rounds: number; chance: Chance },
) {
  const firstDay = dayAfter(new Date().toISOString().slice(0, 10), -rounds);
  await placeStakes(site.owner, { people, firstDay, enabled: false });
  await setRunLimit(site, 0n);
  const tally = emptyTally();
  let asked = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { id, planHash } = await planned(offices);
    const started = emptyTally();
    count(started, await storm(offices, { path: `/api/runs/${id}/start`, body: { planHash } }, chance), '');
    asked += started.done;
    const waiting = await requestOf(site, id);
    const decide = {
      path: `/api/approvals/${waiting.id}/decide`,
      body: { decision: 'approve', digest: waiting.digest },
    };
    count(tally, await storm(offices, decide, chance), waiting.askedBy);
    await stateOf(offices, 'completed');
    tell(`a run was asked for ${started.done} time, and approved ${tally.done} in all`);
  }
  const days = Array.from({ length: rounds }, (_, at) => dayAfter(firstDay, at));
  const paid = await compareDays(site.owner, days);
  const { twoPeople } = await decidersOf(site);
  const once = asked === rounds && tally.done === rounds && twoPeople === rounds && tally.selfDone === 0;
  return {
    rounds,
    asked,
    approved: tally.done,
    twoPeople,
    selfApprovals: tally.selfDone,
    paid,
    tally,
    sound: once && isFlawless(paid),
  };
}

async function newest({ callers, people: [person] }: Offices) {
  const [caller] = callers;
  if (!caller || !person) throw new Error('There is nobody to ask.');
  const { json } = await caller.call('GET', '/api/runs?kind=stake-payout&limit=1', { token: person.token });
  const [run] = json['runs'] as Pick<Run, 'id' | 'state' | 'planHash'>[];
  return run;
}

async function stateOf(offices: Offices, wanted: Run['state']) {
  for (const latest = Date.now() + patienceMs; Date.now() < latest; await wait(pollMs)) {
    const run = await newest(offices);
    if (run?.state === wanted) return run;
  }
  throw new Error(`The run did not become ${wanted} in time.`);
}

async function planned(offices: Offices) {
  const [caller] = offices.callers;
  const [person] = offices.people;
  if (caller && person) await caller.call('POST', '/api/runs', { token: person.token, body: { kind: 'stake-payout' } });
  return stateOf(offices, 'planned');
}

async function requestOf({ pool }: Site, runId: string) {
  const { rows } = await pool.query<{ id: string; digest: string; askedBy: string }>(
    `select id, digest, asked_by as "askedBy" from approval where subject_id = $1 and state = 'waiting'`,
    [runId],
  );
  const [request] = rows;
  if (!request || rows.length > 1) throw new Error(`${rows.length} requests wait for the run ${runId}.`);
  return request;
}

/** Of how many runs the two are two, and those who asked and decided. */
async function decidersOf({ pool }: Site) {
  const { rows } = await pool.query<{ twoPeople: number }>(
    `select count(*)::int as "twoPeople" from run join approval as asked on asked.subject_id = run.id
     where run.state = 'completed' and asked.state = 'approved' and not asked.alone and run.begun_by = asked.asked_by
       and run.approved_by = asked.decided_by and run.begun_by <> run.approved_by`,
  );
  return rows[0] ?? { twoPeople: 0 };
}
