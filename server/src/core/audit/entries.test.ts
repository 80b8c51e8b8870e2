import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { recordAudit } from './audit.ts';

const { db, server } = await testEnvironment();
const root = await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const token = await server.signIn('root');

type Entries = { entries: { seq: string; actor: string | null; action: string }[]; olderThan: string | null };

const about = async (query: string) =>
  (await server.call('GET', `/api/audit?${query}`, { token })).json as unknown as Entries;

const act = (subjectId: string, turn: number, actorId: string | null = root.id) =>
  db.database
    .transaction()
    .execute((tx) => recordAudit(tx, { actorId, action: 'users.change', subjectId, details: { turn } }));

test('the entries of a subject are listed newest first, with actor and details', async () => {
  await act('mira', 1);
  await act('somebody else', 2);
  await act('mira', 3, null);
  const { entries, olderThan } = await about('subject=mira');
  const entry = { seq: expect.stringMatching(/^\d+$/), at: expect.stringMatching(/Z$/), action: 'users.change' };
  expect(entries).toEqual([
    { ...entry, actor: null, apiKey: null, details: { turn: 3 } },
    { ...entry, actor: 'root', apiKey: null, details: { turn: 1 } },
  ]);
  expect(olderThan).toBeNull();
});

test('pages of older entries have no gaps or repeats', async () => {
  for (let turn = 0; turn < 60; turn += 1) await act('busy', turn);
  const pages = [await about('subject=busy')];
  for (let older = pages[0]?.olderThan; older; older = pages.at(-1)?.olderThan) {
    pages.push(await about(`subject=busy&before=${older}`));
  }
  expect(pages.map(({ entries }) => entries.length)).toEqual([25, 25, 10]);
  const seqs = pages.flatMap(({ entries }) => entries.map(({ seq }) => Number(seq)));
  expect(seqs).toEqual(seqs.toSorted((a, b) => b - a));
  expect(new Set(seqs).size).toBe(60);
});

test.each(['', 'subject=', 'subject=mira&before=-1', 'subject=mira&before=x', `subject=${'x'.repeat(101)}`])(
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
] as const)('a list request by an Admin with the permission set %s returns %i', async (permissionSet, expected) => {
  const username = `reads.${permissionSet ?? 'all'}`;
  await addAdmin(db.database, { username, ...(permissionSet && { permissionSet }) });
  const theirs = await server.signIn(username);
  expect((await server.call('GET', '/api/audit?subject=mira', { token: theirs })).status).toBe(expected);
});
