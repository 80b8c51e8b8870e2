import * as contract from 'contract/reports.ts';
import type { Database, Db } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { selectActivity, selectEngagement, selectRegistrations } from './analytics-queries.ts';

export function analyticsRoutes(api: Api, database: Database) {
  api.serve(contract.readAnalytics, () => readAnalytics(database));
}

async function readAnalytics(db: Db) {
  const [registrations, activity, { active, users }] = await Promise.all([
    selectRegistrations(db),
    selectActivity(db),
    selectEngagement(db),
  ]);
  const percent = users === 0 ? 0 : Math.round((100 * active) / users);
  return { registrations, ...activity, engagement: { percent, active, users } };
}
