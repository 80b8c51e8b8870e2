import pg from 'pg';

/**
 * Describes a failed statement for an operator at a terminal: one line each for the error, the position in `text`, the
 * detail and the hint. A detail can quote stored values, so the result must not be logged or sent to a client.
 */
export function describeDatabaseError(error: unknown, text = ''): string {
  if (error instanceof AggregateError) return error.errors.map((one) => describeDatabaseError(one)).join('\n');
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error ? error.message : String(error);
  const { message, code, position, detail, hint, where } = error;
  const line = position ? text.slice(0, Number(position)).split('\n').length : undefined;
  return [
    `${message} (SQLSTATE ${code})`,
    text && line && `Line ${line}: ${text.split('\n')[line - 1]?.trim()}`,
    detail && `Detail: ${detail}`,
    hint && `Hint: ${hint}`,
    where && `Where: ${where}`,
  ]
    .filter(Boolean)
    .join('\n');
}
