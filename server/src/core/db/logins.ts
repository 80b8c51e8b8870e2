import { sql } from 'kysely';
import { type Db, runQuery } from './db.ts';
import type { ProcessRole } from './roles.ts';

type Login = { name: string; excess: string[] };

/**
 * Returns the login behind a connection and what it may do beyond its role. Setting the role does not take that away: a
 * statement can reset it. A connection pooler can lend the connection of another login, so the login is asked for here
 * and not read from the settings.
 */
export async function readLogin(db: Db, role: ProcessRole): Promise<Login> {
  const [login] = await runQuery<Rights>(
    db,
    sql`
    select session_user::text as name, rolsuper as "isSuperuser", rolcreaterole as "mayCreateRoles",
      rolcreatedb as "mayCreateDatabases", rolreplication or rolbypassrls as "readsEverything",
      exists (select from pg_class where relowner = login.oid and relpersistence <> 't')
        or exists (select from pg_namespace where nspowner = login.oid)
        or exists (select from pg_database where datname = current_database() and datdba = login.oid) as "ownsTables",
      exists (
        select from pg_class cross join aclexplode(relacl) as entry
        where entry.grantee = login.oid and relkind in ('r', 'p', 'v', 'm', 'S')
      ) as "hasOwnRights",
      array(
        select rolname::text from pg_roles
        where not login.rolsuper and rolname not in (session_user, ${role}) and pg_has_role(session_user, oid, 'MEMBER')
        order by rolname
      ) as "otherRoles"
    from pg_roles as login where login.rolname = session_user`,
  );
  if (!login) throw new Error('The login is unknown.');
  return { name: login.name, excess: excessOf(login) };
}

type Rights = {
  name: string;
  isSuperuser: boolean;
  mayCreateRoles: boolean;
  mayCreateDatabases: boolean;
  readsEverything: boolean;
  ownsTables: boolean;
  hasOwnRights: boolean;
  otherRoles: string[];
};

const excessOf = (login: Rights) => [
  ...(login.isSuperuser ? ['is a superuser'] : []),
  ...(login.mayCreateRoles ? ['may create roles'] : []),
  ...(login.mayCreateDatabases ? ['may create databases'] : []),
  ...(login.readsEverything && !login.isSuperuser ? ['may read or replicate everything'] : []),
  ...(login.ownsTables ? ['owns tables'] : []),
  ...(login.hasOwnRights && !login.ownsTables ? ['has rights on tables of its own'] : []),
  ...(login.otherRoles.length > 0 ? [`has the roles ${login.otherRoles.join(', ')} too`] : []),
];

/** Throws if whoever steals the login of this process could do more than the process. */
export async function refuseWideLogin(db: Db, role: ProcessRole) {
  const { name, excess } = await readLogin(db, role);
  if (excess.length === 0) return;
  throw new Error(
    `The login ${name} ${excess.join(', ')}, so whoever steals it could do more than ${role}. Give this process a login ` +
      'of its own ("npx bursar setup-sql" prints how), or set BURSAR_DATABASE_LOGINS=any for development.',
  );
}
