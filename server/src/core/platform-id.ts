import { hash } from 'node:crypto';

/** What the platform names by ids of its own. */
type Named =
  | 'user'
  | 'balance'
  | 'deposit'
  | 'stake'
  | 'withdrawal'
  | 'ticket'
  | 'ticket-message'
  | 'task'
  | 'activity';

/**
 * Returns the id of what the platform calls by this name. The same name always has the same id, so the database refuses
 * to store it twice. The version is 8: the digits are a digest.
 */
export function platformId(what: Named, name: string) {
  const digest = hash('sha256', JSON.stringify(['bursar', what, name]));
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
