import * as contract from 'contract/users.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { listTeam, readSponsors } from './team.ts';

export function teamRoutes(api: Api, database: Database) {
  api.serve(contract.readSponsors, ({ params }) => readSponsors(database, params.id));

  api.serve(contract.listTeam, ({ params, querystring }) => listTeam(database, { ...params, ...querystring }));
}
