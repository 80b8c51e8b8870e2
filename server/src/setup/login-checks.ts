import { sql } from 'kysely';
import { runQuery, connect, type Database } from '#server/core/db/db.ts';
import { describeDatabaseError } from '#server/core/db/describe.ts';
import { isDenied, type ProcessRole } from '#server/core/db/roles.ts';
import { failure, type Finding, ok, warning } from './finding.ts';

const statementTimeoutMs = 10_000;

export function openFor(url: string, role?: ProcessRole) {
  const settings = { url, connections: 1, statementTimeoutMs, onLostConnection: () => undefined };
  return connect(role ? { ...settings, role } : settings).database;
}

type Process = { name: string; variable: string; role: ProcessRole };

/** Checks that a process can connect in its role, and warns if its login has more rights than it needs. */
export async function checkLogin(database: Database, { name, variable, role }: Process): Promise<Finding> {
  try {
    const [login] = await readLogin(database, role);
    if (!login) throw new Error('The login is unknown.');
    const excess = [
      login.isSuperuser && 'is a superuser',
      login.mayCreateRoles && 'may create roles',
      login.ownsTables && 'owns tables',
      login.otherRoles.length > 0 && `has the roles ${login.otherRoles.join(', ')} too`,
    ].filter(Boolean);
    if (excess.length === 0) return ok(`${name}: ${login.name} works as ${role}`);
    return warning(
      `${name}: ${login.name} works as ${role} but ${excess.join(', ')}. Anyone who steals this login has these rights ` +
        `as well: give ${variable} a login of its own ("npx bursar setup-sql" prints how).`,
    );
  } catch (error) {
    const advice = isDenied(error)
      ? ' Let an administrator of the database run what "npx bursar setup-sql" prints.'
      : ` Check ${variable}, and that PostgreSQL runs.`;
    return failure(`${name}: ${inOneLine(error)}.${advice}`);
  }
}

type Login = { name: string; isSuperuser: boolean; mayCreateRoles: boolean; ownsTables: boolean; otherRoles: string[] };

const readLogin = (database: Database, role: ProcessRole) =>
  runQuery<Login>(
    database,
    sql`
    select session_user::text as name, login.rolsuper as "isSuperuser", login.rolcreaterole as "mayCreateRoles",
      exists (select from pg_class where relowner = login.oid and relnamespace = 'public'::regnamespace) as "ownsTables",
      array(
        select rolname::text from pg_roles
        where not login.rolsuper and rolname not in (session_user, ${role}) and pg_has_role(session_user, oid, 'MEMBER')
        order by rolname
      ) as "otherRoles"
    from pg_roles as login where login.rolname = session_user`,
  );

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
