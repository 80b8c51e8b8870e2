import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import pg from 'pg';

/** The server logs each statement with the application's name, and counts the statements that it executes. */
export const statementSettings = [
  'log_statement=all',
  'log_line_prefix=%a|',
  'log_parameter_max_length=0',
  'shared_preload_libraries=pg_stat_statements',
];

/** The application name of this bench's own connections, which are not counted. */
export const benchName = 'bench-idle';

/**
 * Reads two counts of the same work. The log has one entry per message: a string of several statements, such as
 * pg-boss sends in its own transactions, is one. `executed` counts each statement, BEGIN and COMMIT included.
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

/** Counts the statements of each application between two sizes of the log. */
export function countStatements(logFile: string, from: number, to: number) {
  const counts: Record<string, number> = {};
  const text = readFileSync(logFile).subarray(from, to).toString('utf8');
  for (const { groups } of text.matchAll(logEntry)) {
    const application = groups?.['application'] ?? '';
    if (application !== benchName) counts[application] = (counts[application] ?? 0) + 1;
  }
  return counts;
}
