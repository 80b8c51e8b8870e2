import { listRunLines } from 'contract/runs-lines.ts';
import * as contract from 'contract/runs.ts';
import { listFailedRuns } from 'contract/runs-failed.ts';
import { readSchedule as scheduleEndpoint } from 'contract/runs-schedule.ts';
import { actingAs } from '#server/auth/acting.ts';
import type { Database } from '#server/db/db.ts';
import type { Api } from '#server/http/api.ts';
import type { AskFor } from '#server/queue/queue.ts';
import { planAgain } from './again.ts';
import { readCalendar } from './calendar.ts';
import { explainTransfer, listLines, readRun } from './detail.ts';
import { selectFailed } from './failed-queries.ts';
import { selectNow } from './queries.ts';
import { readSchedule } from './schedule.ts';
import { listRuns, planByHand, planReversal, startRun, steerRun } from './service.ts';

export function runRoutes(api: Api, { database, askFor }: { database: Database; askFor: AskFor }) {
  api.serve(contract.listRuns, ({ querystring }) => listRuns(database, querystring));

  api.serve(contract.readRun, ({ params }) => readRun(database, params.id));

  api.serve(listRunLines, ({ params, querystring }) => listLines(database, { ...params, ...querystring }));

  api.serve(contract.readCalendar, async ({ querystring }) =>
    readCalendar(database, { ...querystring, now: await selectNow(database) }),
  );

  api.serve(scheduleEndpoint, async () => readSchedule(database, await selectNow(database)));

  api.serve(listFailedRuns, async () => ({ runs: await selectFailed(database) }));

  api.serve(contract.explainTransfer, ({ params }) => explainTransfer(database, params.transfer));

  api.serve(contract.planRun, ({ body, actor }) =>
    actingAs(database, actor, async (tx) => planByHand(tx, { actor, askFor, ...body, now: await selectNow(tx) })),
  );

  api.serve(contract.planAgain, ({ params, actor }) =>
    actingAs(database, actor, (tx) => planAgain(tx, { actor, askFor, ...params })),
  );

  api.serve(contract.startRun, ({ params, body, actor }) =>
    actingAs(database, actor, (tx) => startRun(tx, { actor, askFor, ...params, ...body })),
  );

  api.serve(contract.steerRun, ({ params, body, actor }) =>
    actingAs(database, actor, (tx) => steerRun(tx, { actor, askFor, ...params, ...body })),
  );

  api.serve(contract.reverseRun, ({ params, body, actor }) =>
    actingAs(database, actor, (tx) => planReversal(tx, { actor, askFor, ...params, ...body })),
  );
}
