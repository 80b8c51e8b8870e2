/**
 * What an error says, as the parameter of a reason. jsonb cannot hold NUL and half of a surrogate pair: such a message
 * must not keep the failure from being recorded.
 */
export function messageOf(error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  return message.toWellFormed().replaceAll('\0', '');
}
