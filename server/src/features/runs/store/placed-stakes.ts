import { lockFor, shareLockFor, type Tx } from '#server/core/db/db.ts';

/** The creation of a run waits for the stakes that are being placed, so that its plan sees them. */
export const waitForPlacedStakes = (tx: Tx) => lockFor(tx, 'runs.placing');

/** Makes new runs wait until the transaction ends. */
export const holdNewRuns = (tx: Tx) => shareLockFor(tx, 'runs.placing');
