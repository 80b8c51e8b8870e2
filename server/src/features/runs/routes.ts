import { readActivity as activityEndpoint } from 'contract/runs-activity.ts';
import { listChunkPayments as chunkPaymentsEndpoint } from 'contract/runs-chunk-payments.ts';
import { listRunLines } from 'contract/runs-lines.ts';
import * as payments from 'contract/runs-payments.ts';
import * as contract from 'contract/runs.ts';
import { listFailedRuns } from 'contract/runs-failed.ts';
import { readSchedule as scheduleEndpoint } from 'contract/runs-schedule.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import { type Database, selectNow } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { replan, replanUser } from './planning/replan.ts';
import { readActivity } from './reading/activity.ts';
import { readCalendar } from './reading/calendar.ts';
import { listChunkPayments } from './reading/chunk-payments.ts';
import { listLines, readRun } from './reading/detail.ts';
import { explainPayment, explainTransfer } from './reading/payments.ts';
import { listUserPayments } from './reading/user-payments.ts';
import { selectFailed } from './reading/failed-queries.ts';
import { readSchedule } from './reading/schedule.ts';
import { listRuns } from './reading/list.ts';
import { planManually } from './planning/create.ts';
import { planReversal } from './planning/reverse.ts';
import { startRun, steerRun } from './paying/actions.ts';

export function runRoutes(api: Api, { database, enqueue }: { database: Database; enqueue: Enqueue }) {
  api.serve(contract.listRuns, ({ querystring }) => listRuns(database, querystring));

  api.serve(contract.readRun, ({ params, actor }) => readRun(database, params.id, actor));

  api.serve(listRunLines, ({ params, querystring }) => listLines(database, { ...params, ...querystring }));

  api.serve(contract.readCalendar, async ({ querystring }) =>
    readCalendar(database, { ...querystring, now: await selectNow(database) }),
  );

  api.serve(scheduleEndpoint, async () => readSchedule(database, await selectNow(database)));

  api.serve(activityEndpoint, () => readActivity(database));

  api.serve(listFailedRuns, async () => ({ runs: await selectFailed(database) }));

  api.serve(payments.explainTransfer, ({ params }) => explainTransfer(database, params.transfer));

  api.serve(payments.explainPayment, ({ params }) => explainPayment(database, params));

  api.serve(payments.listUserPayments, ({ querystring }) => listUserPayments(database, querystring));

  api.serve(chunkPaymentsEndpoint, ({ params, querystring }) =>
    listChunkPayments(database, { ...params, ...querystring }),
  );

  api.serve(contract.planRun, ({ body, actor }) =>
    inActorTransaction(database, actor, async (tx) =>
      planManually(tx, { actor, enqueue, ...body, now: await selectNow(tx) }),
    ),
  );

  api.serve(contract.replan, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => replan(tx, { actor, enqueue, ...params })),
  );

  api.serve(contract.replanUser, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => replanUser(tx, { actor, enqueue, ...params })),
  );

  api.serve(contract.startRun, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => startRun(tx, { actor, ...params, ...body })),
  );

  api.serve(contract.steerRun, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => steerRun(tx, { actor, enqueue, ...params, ...body })),
  );

  api.serve(contract.reverseRun, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => planReversal(tx, { actor, enqueue, ...params, ...body })),
  );
}
