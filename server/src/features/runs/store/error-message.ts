/**
 * Returns the message of an error as the parameter of a reason, without NUL and lone surrogates: jsonb cannot hold
 * them, and the failure could not be recorded.
 */
export function messageOf(error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  return message.toWellFormed().replaceAll('\0', '');
}
