import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { createGroupRoles, maySetRole } from './roles.ts';

type Urls = { ownerUrl: string; url: string; workerUrl: string };

/**
 * Returns the statements that an administrator of the cluster runs once. They create the logins of these URLs, the
 * group roles and the empty database. Every statement but the last can be run again. Passwords appear only as SCRAM
 * verifiers, because a server may log the statements. Throws if a URL names no login, or the owner's no database.
 */
export function setupStatements({ ownerUrl, url, workerUrl }: Urls) {
  const owner = loginOf(ownerUrl, 'DATABASE_OWNER_URL');
  const api = loginOf(url, 'DATABASE_URL');
  const worker = loginOf(workerUrl, 'DATABASE_WORKER_URL');
  const database = decodeURIComponent(new URL(ownerUrl).pathname.slice(1));
  if (database === '') throw new Error('DATABASE_OWNER_URL names no database.');
  const logins = new Map([owner, api, worker].map((login) => [login.name, login]));
  return [
    createGroupRoles,
    ...[...logins.values()].flatMap(loginStatements),
    `grant bursar_app to ${pg.escapeIdentifier(api.name)}`,
    `grant bursar_worker to ${pg.escapeIdentifier(worker.name)}`,
    grantOwnerToCurrentUser(owner.name),
    // Sorting by code point is the same on every machine. With a language's collation, a system upgrade can corrupt
    // indexes.
    `create database ${pg.escapeIdentifier(database)} owner ${pg.escapeIdentifier(owner.name)}
  template template0 encoding 'UTF8' lc_collate 'C'`,
  ];
}

type Login = { name: string; password: string };

function loginOf(address: string, variable: string): Login {
  const { username, password } = new URL(address);
  if (username === '') throw new Error(`${variable} names no login: postgres://LOGIN:PASSWORD@HOST:PORT/DATABASE`);
  const name = decodeURIComponent(username);
  // The statements are quoted with dollar signs.
  if (name.includes('$')) throw new Error(`${variable} names a login with a dollar sign.`);
  return { name, password: decodeURIComponent(password) };
}

function loginStatements({ name, password }: Login) {
  const role = pg.escapeIdentifier(name);
  const secret = password === '' ? '' : ` password ${pg.escapeLiteral(scramVerifier(password))}`;
  return [
    inBlock(`if not exists (select from pg_roles where rolname = ${pg.escapeLiteral(name)}) then
    create role ${role};
  end if;`),
    `alter role ${role} login${secret}`,
  ];
}

/** A login can make a role the owner of a database only if it may set that role. A superuser always may. */
const grantOwnerToCurrentUser = (owner: string) =>
  inBlock(`if not ${maySetRole(pg.escapeLiteral(owner))} then
    grant ${pg.escapeIdentifier(owner)} to current_user;
  end if;`);

const inBlock = (statement: string) => `do $setup$ begin
  ${statement}
end $setup$`;

const iterations = 4_096;

/** Returns the SCRAM verifier that PostgreSQL stores for a password (RFC 5803). */
function scramVerifier(password: string) {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
