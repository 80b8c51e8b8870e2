import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '../server/src/core/testing/environment.ts';
import { addAdmin, testPassword } from '../server/src/core/testing/server.ts';
import { LiteralClient, Refused } from './literal-client.ts';

/* The behavior that docs/client.md describes for a client written exactly to section 7 of the specification. */
const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });

async function signedIn(username = 'root', password = testPassword) {
  const client = new LiteralClient(server.address);
  await client.login(username, password);
  return client;
}

const form = (username: string, password: string) => ({
  username,
  password,
  confirmPassword: password,
  role: 'Admin',
});
const temporary = 'a temporary phrase';

test('it signs in, or receives the reason for the refusal', async () => {
  const client = new LiteralClient(server.address);
  await expect(client.login('root', 'wrong')).rejects.toEqual(new Refused(401, 'Invalid username or password.'));
  await expect(client.loadAdmins()).rejects.toMatchObject({ status: 401 });
  await client.login('root', testPassword);
  await client.loadAdmins();
  expect(client.admins).toMatchObject([{ username: 'root', role: 'SuperAdmin' }]);
});

test('it creates an administrator, appends the returned record to its list, and deletes it', async () => {
  const client = await signedIn();
  await client.loadAdmins();
  await client.signUp(form('made.here', temporary));
  expect(client.admins.map(({ username }) => username)).toEqual(['root', 'made.here']);
  const kept = client.admins;
  await client.loadAdmins();
  expect(client.admins).toEqual(kept);
  await client.deleteAdmin('made.here');
  await client.loadAdmins();
  expect(client.admins.map(({ username }) => username)).toEqual(['root']);
});

test.each([
  [form('ann', 'short'), 'Password must have at least 12 characters.'],
  [{ ...form('ann', temporary), confirmPassword: 'another' }, "Passwords don't match"],
  [form('root', temporary), 'That username is already taken.'],
])('a refusal has an error field that can be shown unchanged (%#)', async (wrong, error) => {
  const client = await signedIn();
  await expect(client.signUp(wrong)).rejects.toThrow(error);
  expect(client.admins).toEqual([]);
});

test('it handles a ticket from opening to closing', async () => {
  const client = await signedIn();
  await client.openTicket('Payout is late', 'Since Monday.');
  const [opened] = client.tickets;
  if (!opened) throw new Error('No ticket was put at the top of the list.');
  expect(opened).toMatchObject({ type: 'Payout is late', username: 'root', status: 'open' });
  await client.loadTickets();
  expect(client.tickets[0]).toEqual(opened);
  await client.reply(opened.id, 'We are looking into it.');
  // Twice, as when the button is pressed twice or by two administrators.
  for (const status of ['closed', 'closed']) await client.setStatus(opened.id, status);
  const { ticket, replies } = await client.readTicket(opened.id);
  expect(ticket).toMatchObject({ id: opened.id, status: 'closed', response: 'We are looking into it.' });
  expect(replies).toMatchObject([{ sender: 'root', message: 'We are looking into it.' }]);
});

test('it gets the newest 25 tickets, and headers give the total and the next page', async () => {
  await sql`
    insert into ticket (type, description, username) select 'Many', 'Number ' || n, 'user' from generate_series(1, 60) as n
  `.execute(db.owner);
  const client = await signedIn();
  await client.loadTickets();
  expect(client.tickets).toHaveLength(25);

  const token = await server.signIn('root');
  const seen = new Set<string>();
  let address: URL | undefined = new URL('/api/tickets/all', server.address);
  let total = 0;
  while (address) {
    const response: Response = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
    total = Number(response.headers.get('X-Total-Count'));
    for (const { id } of ((await response.json()) as { tickets: { id: string }[] }).tickets) seen.add(id);
    const next: string | undefined = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
    address = next === undefined ? undefined : new URL(next, response.url);
  }
  expect(total).toBeGreaterThan(60);
  expect(seen.size).toBe(total);
});

test('a new administrator signs in with the temporary password, and can do nothing before choosing another', async () => {
  await (await signedIn()).signUp(form('newcomer', temporary));
  const client = await signedIn('newcomer', temporary);
  await expect(client.loadTickets()).rejects.toEqual(new Refused(403, 'Choose a password of your own first.'));

  const { json } = await server.call('POST', '/api/admin/login', {
    body: { username: 'newcomer', password: temporary },
  });
  const chosen = 'a phrase of my own';
  const changed = await server.call('POST', '/api/auth/password', {
    token: String(json['token']),
    body: { currentPassword: temporary, newPassword: chosen },
  });
  expect(changed.status).toBe(200);
  await (await signedIn('newcomer', chosen)).loadTickets();
});

test('in a browser the token alone is not enough: the sign-in cookie is also required', async () => {
  const inBrowser = { origin: server.address };
  const body = { username: 'root', password: testPassword };
  const { json, headers } = await server.call('POST', '/api/admin/login', { body, headers: inBrowser });
  const token = String(json['token']);
  const cookie = headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  expect(cookie).toContain('__Host-bursar=');
  expect((await server.call('GET', '/api/admin/all', { token, headers: inBrowser })).status).toBe(401);
  expect((await server.call('GET', '/api/admin/all', { token, headers: { ...inBrowser, cookie } })).status).toBe(200);
});
