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
let sent = 0;

const submissionItem = (user: string, chosen: object = {}) => {
  sent += 1;
  return {
    id: `task-${sent}`,
    user,
    postUrl: 'https://example.com/posts/1',
    title: 'Write a review',
    description: 'In your own words',
    reward: '12.5',
    deadline: '2026-12-31',
    at: '2026-02-03T04:05:06.789Z',
    ...chosen,
  };
};

test('a submission is a completed task whose reward is not paid yet', async () => {
  const { userId } = await addUser(db.owner);
  const stream = await openStream(server.address, { authorization: `Bearer ${token}` });
  const item = submissionItem(userId);
  expect(await send('task-submissions', item, item)).toEqual(['stored', 'duplicate']);
  await stream.heard({ feature: 'tasks', id: 'inbound' });
  await stream.close();
  const { json } = await server.call('GET', `/api/tasks/${platformId('task', item.id)}`, { token });
  expect(json['task']).toMatchObject({
    userId,
    postUrl: item.postUrl,
    title: item.title,
    description: item.description,
    reward: '12.50',
    deadline: item.deadline,
    status: 'Completed',
    rewarded: false,
    createdAt: item.at,
  });
});

test('a submission is still a duplicate after an administrator changed the task', async () => {
  const { userId } = await addUser(db.owner);
  const item = submissionItem(userId);
  await send('task-submissions', item);
  const { id: _id, user: _user, at: _at, ...form } = item;
  const body = { ...form, userId, title: 'Another title', status: 'Active', version: 1 };
  const path = `/api/tasks/${platformId('task', item.id)}`;
  expect((await server.call('PATCH', path, { token, body })).status).toBe(200);
  expect(await send('task-submissions', item)).toEqual(['duplicate']);
});

test('each item is refused with its own code', async () => {
  const { userId: user } = await addUser(db.owner);
  const { userId: gone } = await addUser(db.owner, { retiredAt: new Date() });
  const item = submissionItem(user);
  expect(
    await send(
      'task-submissions',
      item,
      { ...item, reward: '13' },
      submissionItem('nobody'),
      submissionItem(gone),
      submissionItem(user, { reward: '1000000.01' }),
      submissionItem(user, { reward: '0' }),
      submissionItem(user, { title: '' }),
      submissionItem(user, { postUrl: 'javascript:alert(1)' }),
      submissionItem(user, { at: '2999-01-01T00:00:00Z' }),
    ),
  ).toEqual([
    'stored',
    'IdReused',
    'UserUnknown',
    'UserDeleted',
    'AmountInvalid',
    'AmountInvalid',
    'TextInvalid',
    'UrlInvalid',
    'TimeInvalid',
  ]);
});
