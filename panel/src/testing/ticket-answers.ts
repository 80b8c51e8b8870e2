import { listTickets, type Reply, readTicket, replyToTicket, setTicketStatus, type Ticket } from 'contract/tickets.ts';
import { answerFrame } from './app.ts';
import { freshId, longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';

export const ticket = (given: Partial<Ticket> = {}): Ticket => ({
  id: freshId(),
  type: 'Payout is late',
  description: 'It was due yesterday.',
  username: 'milancosta',
  status: 'open',
  createdAt: longAgo,
  response: null,
  ...given,
});

export function answerTickets(tickets: readonly Ticket[]) {
  answerFrame();
  answer(listTickets, () => ({ tickets: [...tickets], ...onePage(tickets) }));
  answer(readTicket, ({ params }) => ({
    ticket: tickets.find(({ id }) => id === params.id) ?? ticket({ id: params.id }),
    userUuid: null,
    replies: [],
  }));
}

/** Sets the responses of a server that stores statuses and replies, all of them to one ticket. */
export function answerKeptTickets(tickets: readonly Ticket[]) {
  const find = (id: string) => tickets.find((each) => each.id === id) ?? ticket({ id });
  const replies: Reply[] = [];
  answerTickets(tickets);
  answer(readTicket, ({ params: { id } }) => ({ ticket: find(id), userUuid: null, replies }));
  answer(setTicketStatus, ({ body, params: { id } }) => ({ ticket: Object.assign(find(id), body), changed: true }));
  answer(replyToTicket, ({ body, params: { id } }) => {
    const reply = { id: freshId(), sender: 'ines.moreau', createdAt: new Date(), ...body };
    replies.push(reply);
    return { ticket: Object.assign(find(id), { status: 'in_progress', response: body.message } as const), reply };
  });
}
