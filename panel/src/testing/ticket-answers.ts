import { listTickets, readTicket, type Ticket } from 'contract/tickets.ts';
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
    person: null,
    replies: [],
  }));
}
