import type { Database } from '#server/core/db/db.ts';
import { isUnderMaintenance } from '#server/core/db/maintenance.ts';
import { type AskFor, isAskedFor } from '#server/core/queue/queue.ts';
import { selectGoingOn } from './store/run-queries.ts';
import { askForLanes } from './paying/lanes.ts';
import { payErrand, planErrand } from './store/tasks.ts';

/**
 * Runs that should be going on and at which nobody works: their errands were lost, or ended because the platform was
 * under maintenance.
 */
export async function wakeRuns(database: Database, askFor: AskFor) {
  if (await isUnderMaintenance(database)) return;
  for (const run of await selectGoingOn(database)) {
    const asked = await isAskedFor(database, [payErrand.name, planErrand.name], run.id);
    if (!asked) await wake(database, { run, askFor });
  }
}

/**
 * What a process does that has just started: the errands of the one before it lie until their silence is noticed, and
 * nobody should wait for that. One errand too many does no harm: it finds nothing to do.
 */
export async function resumeRuns(database: Database, askFor: AskFor) {
  for (const run of await selectGoingOn(database)) await wake(database, { run, askFor });
}

type Waking = { run: { id: string; state: string }; askFor: AskFor };

function wake(database: Database, { run: { id, state }, askFor }: Waking) {
  return database
    .transaction()
    .execute((tx) => (state === 'planning' ? askFor(tx, planErrand.name, id) : askForLanes(tx, id, askFor)));
}
