import type pg from 'pg';

/** The role that a process takes on: the API and the commands, or the worker. */
export type ProcessRole = 'bursar_app' | 'bursar_worker';

/** Why a connection is not used. */
class WrongRole extends Error {
  constructor(role: ProcessRole, actual: string | undefined) {
    super(
      `A database connection has the role "${actual}" instead of "${role}": a connection pooler may have dropped the ` +
        'startup parameter "options". Connect to PostgreSQL directly, or let the pooler pass the parameter on.',
    );
  }
}

/**
 * For the settings of `pg`: refuses a new connection that does not have the role which its startup options ask for.
 * A connection pooler can drop these options, and then the process would work with all rights of its login.
 */
export const refuseOtherRolesThan = (role: ProcessRole) => ({
  onConnect: async (client: Pick<pg.ClientBase, 'query'>) => {
    const { rows } = await client.query<{ role: string }>('select current_user::text as role');
    if (rows[0]?.role !== role) throw new WrongRole(role, rows[0]?.role);
  },
});
