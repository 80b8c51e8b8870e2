import * as contract from 'contract/staking-inbound.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { inInboundTransaction } from '#server/core/inbound/inbound.ts';
import { endStakesEarly } from './end-early.ts';
import { type PayoutDay, placeStakes } from './inbound.ts';

export function inboundStakingRoutes(api: Api, { database, payoutDay }: { database: Database; payoutDay: PayoutDay }) {
  api.serve(contract.placeStakes, ({ body, apiKey }) =>
    inInboundTransaction({ database, apiKey }, (tx) => placeStakes(tx, { payoutDay, items: body.items })),
  );

  api.serve(contract.endStakesEarly, ({ body, apiKey }) =>
    inInboundTransaction({ database, apiKey }, (tx) => endStakesEarly(tx, body.items)),
  );
}
