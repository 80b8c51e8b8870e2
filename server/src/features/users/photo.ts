import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import sharp from 'sharp';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { drawnPart } from './photo-container.ts';
import { selectDigest, selectPhoto, writePhoto } from './photo-queries.ts';
import { lockUser } from './queries.ts';
import { readUser } from './service.ts';

// For the whole process: only these four formats are decoded, whatever else libvips is built with.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
  ],
});
sharp.cache(false);
sharp.concurrency(1);

const mostPixels = 16_000_000;
const longestSide = 512;
const longestSeconds = 5;

/** One at a time, because the largest allowed photo takes 150 MB while it is drawn. */
const drawing = pLimit(1);
const mostWaiting = 4;

export type Photo = { webp: Buffer; digest: string };

/** Redraws the pixels of a file as WebP and keeps nothing else. Refuses other files, and if too many are waiting. */
export async function drawPhoto(sent: Buffer): Promise<Photo> {
  const drawn = drawnPart(sent);
  if (!drawn) throw new Refusal('NotAPhoto');
  if (drawing.pendingCount >= mostWaiting) throw new Refusal('Busy', { retryAfterSeconds: 2 });
  const webp = await drawing(() => redraw(drawn));
  return { webp, digest: createHash('sha256').update(webp).digest('hex') };
}

async function redraw(bytes: Buffer) {
  try {
    return await sharp(bytes, { failOn: 'warning', limitInputPixels: mostPixels, limitInputChannels: 4, pages: 1 })
      .timeout({ seconds: longestSeconds })
      .autoOrient()
      .resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 82 })
      .toBuffer();
  } catch {
    // A file that the decoder rejects, for whatever reason, is not a photo that we can show.
    throw new Refusal('NotAPhoto');
  }
}

export async function setPhoto(tx: Tx, { actor, id, photo }: { actor: Actor; id: string; photo: Photo }) {
  if (!(await lockUser(tx, id))) throw new Refusal('UserNotFound');
  const before = await selectDigest(tx, id);

  await writePhoto(tx, id, photo);
  const answer = await readUser(tx, id);
  await announce(tx, { feature: 'users', id });
  const details = { before: { photo: before?.digest ?? null }, after: { photo: photo.digest } };
  await recordAudit(tx, { actorId: actor.id, action: 'users.set-photo', subjectId: id, details });
  return answer;
}

export async function readPhoto(db: Db, id: string) {
  const found = await selectPhoto(db, id);
  if (!found) throw new Refusal('UserNotFound');
  if (!found.webp) throw new Refusal('PhotoNotFound');
  return found.webp;
}
