import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { everyPage } from '#server/core/testing/paging.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addUser } from '#server/core/testing/user.ts';
import { type AuditRecord, recordAudit } from './audit.ts';

const { db, server } = await testEnvironment();
const root = await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const token = await server.signIn('root');

type Entry = { id: string; actor: string | null; action: string; subject: string | null; details: object };
type Entries = { entries: Entry[]; nextCursor: string | null; previousCursor: string | null; total: unknown };

const list = async (query: string) => {
  const { status, json } = await server.call('GET', `/api/audit?${query}`, { token });
  expect(status, JSON.stringify(json)).toBe(200);
  return json as unknown as Entries;
};

const act = (given: Partial<AuditRecord>) =>
  db.database
    .transaction()
    .execute((tx) => recordAudit(tx, { actorId: root.id, action: 'users.change', subjectId: 'mira', ...given }));

test('the entries of a subject are listed newest first, with actor, item and details', async () => {
  const { id: subject, username } = await addUser(db.owner, { username: 'mira' });
  await act({ subjectId: subject, details: { turn: 1 } });
  await act({ subjectId: 'somebody else', details: { turn: 2 } });
  await act({ subjectId: subject, actorId: null, details: { turn: 3 } });
  const entry = {
    id: expect.stringMatching(/^\d+$/),
    at: expect.stringMatching(/Z$/),
    apiKey: null,
    action: 'users.change',
    subject,
    subjectName: username,
  };
  expect(await list(`subject=${subject}`)).toEqual({
    entries: [
      { ...entry, actor: null, caller: null, details: { turn: 3 } },
      { ...entry, actor: 'root', caller: root.id, details: { turn: 1 } },
    ],
    nextCursor: null,
    previousCursor: null,
    total: { count: 2, capped: false },
    firstRow: 1,
  });
});

test('pages have no gaps or repeats, forward and back', async () => {
  for (let turn = 0; turn < 60; turn += 1) await act({ subjectId: 'busy', details: { turn } });
  const lengths: number[] = [];
  for (const query of ['subject=busy', 'subject=busy&feature=users', '']) {
    const { ids } = await everyPage(async (cursor) => {
      const page = await list(`${query}&limit=25${cursor ? `&cursor=${cursor}` : ''}`);
      return { ...page, ids: page.entries.map(({ id }) => id) };
    });
    expect(ids).toEqual(ids.toSorted((a, b) => Number(b) - Number(a)));
    expect(new Set(ids).size).toBe(ids.length);
    lengths.push(ids.length);
  }
  expect(lengths.slice(0, 2)).toEqual([60, 60]);
});

test('the list is narrowed by caller, feature, action, subject and day, and by any of them together', async () => {
  const ann = await addAdmin(db.database, { username: 'ann' });
  await act({ actorId: ann.id, action: 'tickets.reply', subjectId: 'narrow' });
  await act({ actorId: ann.id, action: 'tickets.create', subjectId: 'narrow' });
  await act({ actorId: ann.id, action: 'tasks.create', subjectId: 'narrow' });
  await act({ actorId: null, action: 'tickets.create', subjectId: 'narrow' });
  const actions = async (query: string) => (await list(query)).entries.map(({ action }) => action);
  expect(await actions(`caller=${ann.id}`)).toEqual(['tasks.create', 'tickets.create', 'tickets.reply']);
  expect(await actions(`caller=${ann.id}&feature=tickets`)).toEqual(['tickets.create', 'tickets.reply']);
  expect(await actions(`caller=${ann.id}&action=tickets.create`)).toEqual(['tickets.create']);
  expect(await actions('caller=system&feature=tickets&subject=narrow')).toEqual(['tickets.create']);
  expect(await actions('feature=tasks&action=tickets.create')).toEqual([]);
  expect(await actions('feature=ticket')).toEqual([]);
  const today = new Date().toISOString().slice(0, 10);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  expect(await actions(`feature=tasks&from=${today}&to=${tomorrow}`)).toEqual(['tasks.create']);
  expect(await actions(`feature=tasks&from=${tomorrow}`)).toEqual([]);
  expect(await actions(`feature=tasks&to=2020-01-01`)).toEqual([]);
});

test('one entry is read by its number', async () => {
  const { entries } = await list('subject=narrow&limit=1');
  const read = (id: string) => server.call('GET', `/api/audit/entries/${id}`, { token });
  expect((await read(String(entries[0]?.id))).json).toEqual({ entry: entries[0] });
  expect((await read('999999')).json).toMatchObject({ status: 404, code: 'EntryNotFound' });
});

test('the choices are every caller and every action with a row', async () => {
  const { json } = await server.call('GET', '/api/audit/choices', { token });
  expect(json['callers']).toContainEqual({ id: root.id, name: 'root', isKey: false });
  const actions = json['actions'] as string[];
  expect(actions).toEqual([...new Set(actions)].toSorted());
  expect(actions).toEqual(expect.arrayContaining(['auth.sign-in', 'tasks.create', 'tickets.reply', 'users.change']));
});

test.each(['subject=', 'caller=root', 'feature=Tickets', 'action=tickets', 'from=today', `subject=${'x'.repeat(101)}`])(
  'a list request with %j returns 400',
  async (query) => {
    expect((await server.call('GET', `/api/audit?${query}`, { token })).status).toBe(400);
  },
);

test.each([
  [undefined, 403],
  ['Support', 403],
  ['Finance', 403],
  ['Auditor', 200],
] as const)('an Admin with the permission set %s gets %i', async (permissionSet, expected) => {
  const username = `reads.${permissionSet ?? 'all'}`;
  await addAdmin(db.database, { username, ...(permissionSet && { permissionSet }) });
  const theirs = await server.signIn(username);
  for (const path of ['/api/audit', '/api/audit/entries/1', '/api/audit/choices'])
    expect((await server.call('GET', path, { token: theirs })).status).toBe(expected);
});
