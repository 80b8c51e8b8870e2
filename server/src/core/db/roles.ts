import { type QueryExecutorProvider, sql } from 'kysely';
import pg from 'pg';

/** Group roles without a login. An installation grants them to the logins of its processes. */
const groupRoles = ['bursar_app', 'bursar_worker', 'bursar_auditor'] as const;

/** The role that a process sets: one for the API and the commands, one for the worker. */
export type ProcessRole = 'bursar_app' | 'bursar_worker';

class WrongRole extends Error {
  constructor(role: ProcessRole, actual: string | undefined) {
    super(
      `A database connection has the role "${actual}" instead of "${role}": a connection pooler may have dropped the ` +
        'startup parameter "options". Connect to PostgreSQL directly, or let the pooler pass the parameter on.',
    );
  }
}

/**
 * Settings for `pg` that refuse a new connection without the role that its startup options request. A connection pooler
 * can drop these options, and then the process would have all privileges of its login.
 */
export const refuseOtherRolesThan = (role: ProcessRole) => ({
  onConnect: async (client: Pick<pg.ClientBase, 'query'>) => {
    const { rows } = await client.query<{ role: string }>('select current_user::text as role');
    if (rows[0]?.role !== role) throw new WrongRole(role, rows[0]?.role);
  },
});

/** Whether the login lacks a privilege, for example on a table or to set a role. */
export function isDenied(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === '42501';
}

/**
 * Creates the missing group roles, and lets the current login set them if it may grant them. Throws if a role is missing
 * and the login may not create it. Roles belong to the cluster and not to the database, so this cannot be a migration: a
 * database that is restored into an empty cluster has all its migrations and none of its roles.
 */
export async function ensureRoles(db: QueryExecutorProvider) {
  try {
    await sql.raw(createGroupRoles).execute(db);
  } catch (error) {
    if (!isDenied(error)) throw error;
    const advice = 'Let an administrator of the database run what "npx bursar setup-sql" prints.';
    throw new Error(`The roles of the database are missing, and this login may not create them. ${advice}`, {
      cause: error,
    });
  }
  await sql.raw(takeGroupRoles).execute(db);
}

/**
 * Returns SQL for whether the current login may set a role. From PostgreSQL 16 on, the creator of a role is its member
 * with the admin option only, and first has to grant itself the SET option. In earlier versions every member has it.
 */
export const maySetRole = (role: string) =>
  `pg_has_role(current_user, ${role}, case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)`;

const groupRoleArray = `array[${groupRoles.map((role) => `'${role}'`).join(', ')}]`;

export const createGroupRoles = `do $$
declare
  group_role text;
begin
  foreach group_role in array ${groupRoleArray} loop
    continue when exists (select from pg_roles where rolname = group_role);
    begin
      execute format('create role %I nologin', group_role);
    exception
      -- Another database of this cluster is being set up at the same time.
      when duplicate_object or unique_violation then null;
    end;
  end loop;
end
$$`;

const takeGroupRoles = `do $$
declare
  group_role text;
begin
  foreach group_role in array ${groupRoleArray} loop
    continue when ${maySetRole('group_role')};
    begin
      execute format('grant %I to current_user', group_role);
    exception
      -- An owner that is used for migrations only does not need the roles of the processes.
      when insufficient_privilege then null;
    end;
  end loop;
end
$$`;
