import { type DestinationStream, type LoggerOptions, pino } from 'pino';

type Fields = Record<string, unknown>;

/** Returns the safe properties of an error. Its detail, parameters and query can contain user input and are omitted. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table } = error as Error & { code?: unknown; constraint?: unknown; table?: unknown };
  return { type: error.name, code, constraint, table, message: error.message, stack: error.stack };
}

const allowed = new Set([
  'reference',
  'method',
  'route',
  'status',
  'ms',
  'adminId',
  'apiKeyId',
  'job',
  'address',
  'error',
  'directive',
  'blocked',
  'rows',
  'seq',
]);

/** Opens a log that writes only the fields of the allow-list. It writes to standard output by default. */
export function openLog(level: string, destination?: DestinationStream) {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields: Fields) => {
        const error = fields['error'] ?? fields['err'];
        const kept = Object.entries(fields).filter(([name]) => allowed.has(name));
        return { ...Object.fromEntries(kept), ...(error !== undefined && { error: describeError(error) }) };
      },
    },
  };
  return pino(options, destination);
}

export type Log = ReturnType<typeof openLog>;
