import * as contract from 'contract/tickets.ts';
import { countTickets as countEndpoint } from 'contract/tickets-count.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { countTickets, createTicket, listTickets, readTicket, replyToTicket, setTicketStatus } from './service.ts';

export function ticketRoutes(api: Api, database: Database) {
  api.serve(contract.listTickets, ({ querystring }) => listTickets(database, querystring));

  api.serve(countEndpoint, () => countTickets(database));

  api.serve(contract.readTicket, ({ params }) => readTicket(database, params.id));

  api.serve(contract.createTicket, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => createTicket(tx, { actor, ...body })),
  );

  api.serve(contract.setTicketStatus, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => setTicketStatus(tx, { actor, id: params.id, status: body.status })),
  );

  api.serve(contract.replyToTicket, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => replyToTicket(tx, { actor, id: params.id, message: body.message })),
  );
}
