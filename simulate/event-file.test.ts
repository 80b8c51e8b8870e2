import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { followEvents, openEventFile } from './event-file.ts';

const event = (id: string) => ({
  id,
  seq: '1',
  type: 'webhook.test',
  subjectId: 's',
  timestamp: 't',
  data: { a: 'ä' },
});

async function newFile() {
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-event-file-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'events.jsonl');
}

test('an event that comes again is noted, also after a restart', async () => {
  const file = await newFile();
  const first = await openEventFile(file);
  await Promise.all([first.store(event('1')), first.store(event('1')), first.store(event('2'))]);
  await (await openEventFile(file)).store(event('2'));
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    event('1'),
    { repeated: '1' },
    event('2'),
    { repeated: '2' },
  ]);
});

test('a line that was not written to its end is dropped, and its event is stored when it comes again', async () => {
  const file = await newFile();
  await (await openEventFile(file)).store(event('1'));
  const seen: string[] = [];
  const following = followEvents(file, { onEvent: ({ id }) => void seen.push(id), onRepeated: () => undefined });
  await appendFile(file, '{"id":"2","se');
  await wait(250);
  const again = await openEventFile(file);
  await again.store(event('2'));
  await expect.poll(() => seen).toEqual(['1', '2']);
  await following.stop();
});
