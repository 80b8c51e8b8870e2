import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { hostilePhotos } from '#server/core/testing/hostile-photos.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { riffChunks } from '#server/core/testing/image-bytes.ts';
import { addUser } from '#server/core/testing/user.ts';
import { type Hostile, payload, picture } from '#server/core/testing/pictures.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');
const watching = await openStream(server.address, { authorization: `Bearer ${token}` });
afterAll(() => watching.close());

type Sent = { bytes: Buffer; type?: string; as?: string };

async function send(id: string, { bytes, type = 'image/jpeg', as = token }: Sent) {
  const response = await fetch(`${server.address}/api/users/${id}/photo`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': type },
    body: Uint8Array.from(bytes),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const read = (id: string, as = token) =>
  fetch(`${server.address}/api/users/${id}/photo`, { headers: { authorization: `Bearer ${as}` } });

const stored = (id: string) => db.owner.selectFrom('userPhoto').selectAll().where('userId', '=', id).executeTakeFirst();

const audited = (id: string) =>
  db.owner.selectFrom('auditEntry').select(['action', 'details']).where('subjectId', '=', id).orderBy('seq').execute();

/** Expects redrawn pixels and nothing else: no metadata, no chunk that could hold any, no trace of the payload. */
async function expectFreshWebp(bytes: Buffer) {
  const { format, width, height, exif, icc, xmp, iptc, pages } = await sharp(bytes).metadata();
  expect({ format, exif, icc, xmp, iptc, pages }).toEqual({ format: 'webp' });
  expect(Math.max(width, height)).toBeLessThanOrEqual(512);
  expect(riffChunks(bytes).filter((name) => !['VP8 ', 'VP8L', 'VP8X', 'ALPH'].includes(name))).toEqual([]);
  expect(bytes.length).toBe(bytes.readUInt32LE(4) + 8);
  const seen = bytes.toString('latin1');
  for (const trace of [payload, '<script', '<?php', '%PDF', 'PK\x03\x04', 'Exif', 'GPS'])
    expect(seen).not.toContain(trace);
}

const codes = { 413: 'RequestTooLarge', 415: 'UnsupportedMediaType', 422: 'NotAPhoto' };

/** Expects that nothing was stored or audited. */
function expectRefusal(left: object, status: keyof typeof codes) {
  expect(left).toEqual({ code: codes[status], kept: undefined, audited: [] });
}

async function expectTamed({ bytes, type, status }: Hostile) {
  const { id } = await addUser(db.owner);
  const answer = await send(id, { bytes, ...(type !== undefined && { type }) });
  expect(answer.status, JSON.stringify(answer.json)).toBe(status);
  const kept = await stored(id);
  if (status !== 200) {
    expectRefusal({ code: answer.json['code'], kept, audited: await audited(id) }, status);
    return;
  }
  if (!kept) throw new Error('Nothing is stored.');
  await expectFreshWebp(kept.webp);
  expect(answer.json['user']).toMatchObject({ id, photo: kept.digest });
}

const { notPhotos, twoInOne, malformed, bombs } = hostilePhotos;

test('at least fifty different hostile files are tested', () => {
  const names = [...notPhotos, ...twoInOne, ...malformed, ...bombs].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(50);
});

test.each(notPhotos)('a file that is not a photo is refused: $name', expectTamed);

test.each(twoInOne)('content hidden in a photo is not stored: $name', expectTamed);

test.each(malformed)('a malformed or animated file does no harm: $name', expectTamed);

const mostGrowth = 200_000_000;
/** Waiting uploads are held in memory, by the server and by the client in this process. */
const mostGrowthOfMany = 300_000_000;
const mostMs = 5_000;

/** Returns the peak growth of the resident memory while `act` runs. */
async function growthDuring(act: () => Promise<unknown>) {
  const before = process.memoryUsage.rss();
  let most = before;
  let acting = true;
  const sampling = (async () => {
    while (acting) {
      most = Math.max(most, process.memoryUsage.rss());
      await wait(2);
    }
  })();
  await act();
  acting = false;
  await sampling;
  return most - before;
}

test.each(bombs)('a decompression bomb stays within the time and memory limits: $name', async (bomb) => {
  const started = performance.now();
  const growth = await growthDuring(() => expectTamed(bomb));
  expect(performance.now() - started).toBeLessThan(mostMs);
  expect(growth).toBeLessThan(mostGrowth);
});

test('concurrent photos are drawn one at a time, and excess requests are refused as busy', async () => {
  const bytes = bombs.find(({ name }) => name === 'the heaviest PNG that is allowed')?.bytes ?? Buffer.alloc(0);
  const { id } = await addUser(db.owner);
  const answers: Awaited<ReturnType<typeof send>>[] = [];
  const growth = await growthDuring(async () => {
    answers.push(...(await Promise.all(Array.from({ length: 9 }, () => send(id, { bytes })))));
  });
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(statuses.filter((status) => status === 200).length).toBe(5);
  expect(growth).toBeLessThan(mostGrowthOfMany);
});

test('a photo is redrawn upright with at most 512 pixels per side, and served as stored', async () => {
  const { id } = await addUser(db.owner);
  const lying = await picture(1_200, 800).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  expect((await send(id, { bytes: lying })).status).toBe(200);
  const response = await read(id);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/webp',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'no-store',
    'content-length': String(bytes.length),
  });
  expect(bytes.equals((await stored(id))?.webp ?? Buffer.alloc(0))).toBe(true);
  const { width, height } = await sharp(bytes).metadata();
  expect([width, height]).toEqual([341, 512]);
});

test('a GIF is accepted as image/gif and redrawn as a still picture', async () => {
  const { id } = await addUser(db.owner);
  const bytes = await picture(90, 60).gif().toBuffer();
  expect((await send(id, { bytes, type: 'image/gif' })).status).toBe(200);
  const kept = (await stored(id))?.webp ?? Buffer.alloc(0);
  await expectFreshWebp(kept);
  const { width, height } = await sharp(kept).metadata();
  expect([width, height]).toEqual([90, 60]);
});

test('an animated GIF is reduced to its first frame and keeps its transparency', async () => {
  const { id } = await addUser(db.owner);
  const frame = (red: number, alpha: number) => Array.from({ length: 100 }, () => [red, 0, 0, alpha]).flat();
  const moving = sharp(Buffer.from([...frame(255, 0), ...frame(0, 255)]), {
    raw: { width: 10, height: 20, channels: 4, pageHeight: 10 },
  });
  await send(id, { bytes: await moving.gif({ delay: [50, 50] }).toBuffer(), type: 'image/gif' });
  const { data, info } = await sharp((await stored(id))?.webp)
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: 10, height: 10, channels: 4 });
  expect(data[3]).toBe(0);
});

test('a small photo is not enlarged and keeps its transparency', async () => {
  const { id } = await addUser(db.owner);
  const see = sharp({ create: { width: 40, height: 20, channels: 4, background: { r: 9, g: 99, b: 9, alpha: 0.5 } } });
  await send(id, { bytes: await see.png().toBuffer(), type: 'image/png' });
  const { width, height, hasAlpha } = await sharp((await stored(id))?.webp).metadata();
  expect([width, height, hasAlpha]).toEqual([40, 20, true]);
});

test('a new photo is announced, and the audit log has the digests before and after', async () => {
  const { id } = await addUser(db.owner);
  const first = await send(id, { bytes: await picture(90, 90).png().toBuffer(), type: 'image/png' });
  await watching.heard({ feature: 'users', id });
  const second = await send(id, { bytes: await picture(91, 91).webp().toBuffer(), type: 'image/webp' });
  const digests = [first, second].map(({ json }) => (json['user'] as { photo: string }).photo);
  expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(digests[0]).not.toBe(digests[1]);
  expect((await audited(id)).map(({ action, details }) => ({ action, ...(JSON.parse(details) as object) }))).toEqual([
    { action: 'users.set-photo', before: { photo: null }, after: { photo: digests[0] } },
    { action: 'users.set-photo', before: { photo: digests[0] }, after: { photo: digests[1] } },
  ]);
  const changed = second.json['user'] as { version: number; updatedAt: string; createdAt: string };
  expect(changed.version).toBe(1);
  expect(changed.updatedAt > changed.createdAt).toBe(true);
});

test('concurrent replacements of a photo leave a chain of digests without a gap', async () => {
  const { id } = await addUser(db.owner);
  const photos = await Promise.all([70, 71, 72, 73].map((size) => picture(size, size).jpeg().toBuffer()));
  await Promise.all(photos.map((bytes) => send(id, { bytes })));
  const steps = (await audited(id)).map(
    ({ details }) => JSON.parse(details) as { before: { photo: string }; after: { photo: string } },
  );
  expect(steps).toHaveLength(4);
  for (const [index, { before }] of steps.entries()) expect(before.photo).toBe(steps[index - 1]?.after.photo ?? null);
  expect((await stored(id))?.digest).toBe(steps.at(-1)?.after.photo);
});

test('an unknown user, a deleted user and a missing photo are not found', async () => {
  const missing = '019c0000-0000-7000-8000-000000000000';
  const gone = await addUser(db.owner, { retiredAt: new Date() });
  const bytes = await picture().jpeg().toBuffer();
  for (const id of [missing, gone.id]) {
    expect(await send(id, { bytes })).toMatchObject({ status: 404, json: { code: 'UserNotFound' } });
    expect((await read(id)).status).toBe(404);
  }
  const { id } = await addUser(db.owner);
  const none = await read(id);
  expect(none.status).toBe(404);
  expect(await none.json()).toMatchObject({ code: 'PhotoNotFound', error: 'There is no photo.' });
});

test.each([
  ['SuperAdmin', undefined, 200],
  ['Support', 'Support', 403],
  ['Finance', 'Finance', 403],
  ['Auditor', 'Auditor', 403],
] as const)(
  '%s can read photos; only an administrator without a permission set can replace them',
  async (name, permissionSet, expected) => {
    const role = permissionSet ? 'Admin' : 'SuperAdmin';
    const { username } = await addAdmin(db.database, {
      username: `photo.${name}`,
      role,
      ...(permissionSet && { permissionSet }),
    });
    const as = await server.signIn(username);
    const { id } = await addUser(db.owner);
    const bytes = await picture().jpeg().toBuffer();
    expect((await send(id, { bytes })).status).toBe(200);
    expect((await read(id, as)).status).toBe(200);
    expect((await send(id, { bytes, as })).status).toBe(expected);
  },
);
