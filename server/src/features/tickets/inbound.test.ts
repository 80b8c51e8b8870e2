import { expect, test } from 'vitest';
import { platformId } from '#server/core/platform-id.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes, platformOf } from '#server/core/testing/inbound.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.owner, { username: 'ann' });
const { secret } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
const { send } = platformOf(server, secret);
const token = await server.signIn('ann');

const at = '2026-09-03T04:05:06.789Z';
let sent = 0;

const ticketItem = (user: string, chosen: object = {}) => {
  sent += 1;
  return { id: `ticket-${sent}`, user, type: 'Login', description: 'I cannot sign in.', at, ...chosen };
};
const messageItem = (ticket: string, chosen: object = {}) => {
  sent += 1;
  return { id: `message-${sent}`, ticket, message: 'It still fails.', at: '2026-09-04T04:05:06.789Z', ...chosen };
};
const writer = () => addUser(db.owner, { createdAt: new Date('2026-01-01') });

test('a ticket and its messages belong to their user', async () => {
  const { id: userUuid, userId: user, username } = await writer();
  const stream = await openStream(server.address, { authorization: `Bearer ${token}` });
  const ticket = ticketItem(user);
  expect(await send('tickets', ticket, ticket)).toEqual(['stored', 'duplicate']);
  await stream.heard({ feature: 'tickets', id: 'inbound' });
  await stream.close();
  const message = messageItem(ticket.id);
  expect(await send('ticket-messages', message, message)).toEqual(['stored', 'duplicate']);
  const { json } = await server.call('GET', `/api/tickets/${platformId('ticket', ticket.id)}`, { token });
  expect(json).toMatchObject({
    ticket: {
      username,
      type: 'Login',
      description: 'I cannot sign in.',
      status: 'open',
      createdAt: at,
      response: null,
    },
    userUuid,
    replies: [{ sender: username, message: 'It still fails.', createdAt: message.at }],
  });
});

test('a ticket that awaits its user is in progress again after their message', async () => {
  const { userId: user } = await writer();
  const [ticket, other] = [ticketItem(user), ticketItem(user)];
  await send('tickets', ticket, other);
  const statusOf = async (id: string) =>
    (await server.call('GET', `/api/tickets/${platformId('ticket', id)}`, { token })).json['ticket'];
  for (const { id } of [ticket, other]) {
    const path = `/api/tickets/${platformId('ticket', id)}/status`;
    const status = id === ticket.id ? 'awaiting_user' : 'closed';
    await server.call('PATCH', path, { token, body: { status } });
  }
  await send('ticket-messages', messageItem(ticket.id), messageItem(other.id));
  expect(await statusOf(ticket.id)).toMatchObject({ status: 'in_progress' });
  expect(await statusOf(other.id)).toMatchObject({ status: 'closed' });
});

test('each item is refused with its own code', async () => {
  const { userId: user } = await writer();
  const { userId: gone } = await addUser(db.owner, { retiredAt: new Date() });
  const ticket = ticketItem(user);
  expect(
    await send(
      'tickets',
      ticket,
      { ...ticket, description: 'Something else' },
      ticketItem('nobody'),
      ticketItem(gone),
      ticketItem(user, { type: ' ' }),
      ticketItem(user, { description: 'x'.repeat(5_001) }),
      ticketItem(user, { at: '2999-01-01T00:00:00Z' }),
    ),
  ).toEqual(['stored', 'IdReused', 'UserUnknown', 'UserDeleted', 'TextInvalid', 'TextInvalid', 'TimeInvalid']);
  const message = messageItem(ticket.id);
  expect(
    await send(
      'ticket-messages',
      message,
      { ...message, message: 'Something else' },
      messageItem('nothing'),
      messageItem(ticket.id, { message: '' }),
      messageItem(ticket.id, { at: '2999-01-01T00:00:00Z' }),
    ),
  ).toEqual(['stored', 'IdReused', 'TicketUnknown', 'TextInvalid', 'TimeInvalid']);
});

test('five identical calls at once store each ticket and message once', async () => {
  const { userId: user } = await writer();
  const tickets = [ticketItem(user), ticketItem(user)];
  const storedOf = async (path: string, items: object[]) => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(path, ...items)));
    return answers.flat().filter((outcome) => outcome === 'stored').length;
  };
  expect(await storedOf('tickets', tickets)).toBe(2);
  expect(
    await storedOf(
      'ticket-messages',
      tickets.map(({ id }) => messageItem(id)),
    ),
  ).toBe(2);
});
