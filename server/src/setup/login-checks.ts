import { sql } from 'kysely';
import { runQuery, connect, type Database } from '#server/core/db/db.ts';
import { describeDatabaseError } from '#server/core/db/describe.ts';
import { readLogin } from '#server/core/db/logins.ts';
import { isDenied, type ProcessRole } from '#server/core/db/roles.ts';
import { failure, type Finding, ok, warning } from './finding.ts';

const statementTimeoutMs = 10_000;

export function openFor(url: string, role?: ProcessRole) {
  const settings = { url, connections: 1, statementTimeoutMs, onLostConnection: () => undefined };
  return connect(role ? { ...settings, role } : settings).database;
}

type Process = { name: string; variable: string; role: ProcessRole };

/** Checks that a process can connect in its role, and warns if its login has more rights than it needs: the process
 * refuses to start with it unless the settings allow any login. */
export async function checkLogin(database: Database, { name, variable, role }: Process): Promise<Finding> {
  try {
    const login = await readLogin(database, role);
    if (login.excess.length === 0) return ok(`${name}: ${login.name} works as ${role}`);
    return warning(
      `${name}: ${login.name} works as ${role} but ${login.excess.join(', ')}. Anyone who steals this login has these rights ` +
        `as well: give ${variable} a login of its own ("npx bursar setup-sql" prints how).`,
    );
  } catch (error) {
    const advice = isDenied(error)
      ? ' Let an administrator of the database run what "npx bursar setup-sql" prints.'
      : ` Check ${variable}, and that PostgreSQL runs.`;
    return failure(`${name}: ${inOneLine(error)}.${advice}`);
  }
}

/** Checks that the login owns the tables. The login of the first migration does, and only it can migrate them. */
export async function checkOwner(url: string): Promise<Finding> {
  await using resources = new AsyncDisposableStack();
  const database = openFor(url);
  resources.defer(() => database.destroy());
  try {
    const [found] = await runQuery<{ login: string; owner: string | null }>(
      database,
      sql`select current_user::text as login, (
        select pg_get_userbyid(relowner)::text from pg_class where oid = to_regclass('public.kysely_migration')
      ) as owner`,
    );
    const login = found?.login ?? '';
    const owner = found?.owner ?? login;
    if (owner === login) return ok(`Owner: ${login} can migrate the tables`);
    return failure(`Owner: the tables belong to ${owner} and not to ${login}. Change DATABASE_OWNER_URL.`);
  } catch (error) {
    return failure(`Owner: ${inOneLine(error)}. Check DATABASE_OWNER_URL.`);
  }
}

export const inOneLine = (error: unknown) => describeDatabaseError(error).split('\n').join('; ');
