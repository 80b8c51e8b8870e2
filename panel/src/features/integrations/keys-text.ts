import type { Scope } from 'contract/core/scopes.ts';
import type { ApiKey, ApiKeyState } from 'contract/integrations-keys.ts';
import type { Tone } from '#panel/ui/status.tsx';
import { formatCount } from '#panel/ui/table/view.ts';

/** What each scope allows, for the form. */
export const scopeTexts: Record<Scope, string> = {
  'users:write': 'Add users',
  'deposits:write': 'Record deposits',
  'stakes:write': 'Place and end stakes',
  'withdrawals:write': 'Request withdrawals',
  'settlement:write': 'Report withdrawal outcomes',
  'tickets:write': 'Open tickets and add messages',
  'tasks:write': 'Submit tasks',
  'activity:write': 'Send activity events',
  'events:read': 'Read platform events',
};

type Shown = { tone: Tone; text: string };

export const keyStates: Record<ApiKeyState, Shown> = {
  active: { tone: 'good', text: 'Active' },
  waiting: { tone: 'waiting', text: 'Awaiting approval' },
  unapproved: { tone: 'bad', text: 'Not approved' },
  expired: { tone: 'quiet', text: 'Expired' },
  revoked: { tone: 'quiet', text: 'Revoked' },
};

export const secretStates: Record<ApiKey['secrets'][number]['state'], Shown> = {
  active: { tone: 'good', text: 'Active' },
  waiting: { tone: 'waiting', text: 'Awaiting approval' },
  unapproved: { tone: 'bad', text: 'Not approved' },
};

/** "1,204 requests in 24 h, 3 errors". */
export function formatUsage({ requests, errors }: Pick<ApiKey, 'requests' | 'errors'>) {
  if (requests === 0) return 'No requests in the last 24 hours';
  const counted = `${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'} in 24 h`;
  return errors === 0 ? counted : `${counted}, ${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'}`;
}
