import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import pg from 'pg';

/** The server logs each statement it receives with the name of the application, and counts what it executes. */
export const statementSettings = [
  'log_statement=all',
  'log_line_prefix=%a|',
  'log_parameter_max_length=0',
  'shared_preload_libraries=pg_stat_statements',
];

/** The connections of this bench itself, which are not counted. */
export const benchName = 'bench-idle';

/**
 * Two counts of the same work. The log has one entry for each message: a string of several statements, such as
 * pg-boss sends in a transaction of its own, is one. `executed` counts each of them, BEGIN and COMMIT included.
 */
export async function openCounters(postgresUrl: string, logFile: string) {
  const client = new pg.Client({ connectionString: postgresUrl, application_name: benchName });
  await client.connect();
  await client.query('create extension if not exists pg_stat_statements');
  return {
    async read() {
      const { rows } = await client.query<{ executed: number }>(`
        select sum(calls)::int as executed from pg_stat_statements
        where dbid <> (select oid from pg_database where datname = current_database())`);
      return { executed: rows[0]?.executed ?? 0, logSize: (await stat(logFile)).size };
    },
    close: () => client.end(),
  };
}

const logEntry = /^(?<application>[^|\n]*)\|LOG: {2}(?:statement|execute [^:\n]*): /gm;

/** How many statements each application sent while the log grew from one size to the other. */
export function countStatements(logFile: string, from: number, to: number) {
  const counts: Record<string, number> = {};
  const text = readFileSync(logFile).subarray(from, to).toString('utf8');
  for (const { groups } of text.matchAll(logEntry)) {
    const application = groups?.['application'] ?? '';
    if (application !== benchName) counts[application] = (counts[application] ?? 0) + 1;
  }
  return counts;
}
