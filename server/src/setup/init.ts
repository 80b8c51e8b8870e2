import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { settingsFile, workerSettingsFile } from '#server/config.ts';

/** Generates every key that the configuration needs. */
export function newKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    BURSAR_AUDIT_KEY: randomBytes(32).toString('base64'),
    BURSAR_AUDIT_SIGNING_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    BURSAR_AUDIT_VERIFYING_KEY: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    BURSAR_SECRETS_KEY: randomBytes(32).toString('base64'),
  };
}

/** Characters that Node.js and `sh` cannot quote in the same way. */
const unquotable = /['\p{Cc}]/u;

/** Formats settings as `NAME=value` lines for both Node.js and `sh`. Assumes values without unquotable characters. */
export const inLines = (settings: Record<string, string>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${/^[\w./:@+=-]+$/.test(value) ? value : `'${value}'`}`)
    .join('\n');

type Place = {
  /** HOST:PORT/NAME of the database. */
  database?: string | undefined;
  /** The folder of the published audit heads and the exports. */
  folder?: string | undefined;
};

/**
 * Writes the settings of a new installation, readable by their owner only: three database logins with passwords, a
 * folder for files, and all keys. The key that only the worker has gets a file of its own. Throws if settings exist,
 * because their keys could not be recovered.
 */
export async function writeSettings({ database = '127.0.0.1:5432/bursar', folder = 'var' }: Place) {
  const place = path.resolve(folder);
  if (unquotable.test(place)) throw new Error(`The folder cannot have a quotation mark or line break: ${place}`);
  const { BURSAR_AUDIT_SIGNING_KEY, ...keys } = newKeys();
  const settings = {
    ...databaseUrls(database),
    BURSAR_AUDIT_HEAD_FILE: path.join(place, 'audit-heads.jsonl'),
    BURSAR_EXPORT_FOLDER: path.join(place, 'exports'),
    BURSAR_ARCHIVE_FOLDER: path.join(place, 'archive'),
    ...keys,
  };
  // Created before the settings, so that a failure here leaves no settings behind.
  await mkdir(settings.BURSAR_EXPORT_FOLDER, { recursive: true, mode: 0o700 });
  await writeNew(settingsFile, settings);
  await writeNew(workerSettingsFile, { BURSAR_AUDIT_SIGNING_KEY });
  return place;
}

async function writeNew(file: string, settings: Record<string, string>) {
  const text = `# Keep a copy of the keys apart from the database. They cannot be made again.\n${inLines(settings)}\n`;
  await writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch((cause: unknown) => {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause;
    throw new Error(`There is a file ${file} already. Nothing was written.`, { cause });
  });
}

const plainName = /^[a-z_][a-z0-9_]*$/;

function databaseUrls(database: string) {
  const address = URL.parse(`postgres://${database}`);
  const name = address?.pathname.slice(1) ?? '';
  if (!address?.hostname || address.username || !plainName.test(name)) {
    throw new Error('The database is given as HOST:PORT/NAME, its name in small letters, digits and underscores.');
  }
  const as = (login: string) => {
    const url = new URL(address);
    url.username = `${name}_${login}`;
    url.password = randomBytes(24).toString('base64url');
    return url.href;
  };
  return { DATABASE_OWNER_URL: as('owner'), DATABASE_URL: as('api'), DATABASE_WORKER_URL: as('jobs') };
}
