import { expect } from 'vitest';
import type { testServer } from './server.ts';

type Server = Awaited<ReturnType<typeof testServer>>;
type Decision = { token: string; decision?: 'approve' | 'deny' };

/** Decides on a request with its current digest. */
export async function decideOn(server: Server, id: string, { token, decision = 'approve' }: Decision) {
  const { json } = await server.call('GET', `/api/approvals/${id}`, { token });
  const { digest } = json['approval'] as { digest: string };
  const body = { decision, digest, ...(decision === 'deny' && { reason: 'Not now.' }) };
  return server.call('POST', `/api/approvals/${id}/decide`, { token, body });
}

/** Approves the request that a call has created, if it needs a second approver. */
export async function approved(server: Server, answer: { json: Record<string, unknown> }, token: string) {
  const waiting = answer.json['waiting'] as { approval: string } | null;
  if (waiting) expect((await decideOn(server, waiting.approval, { token })).status).toBe(200);
}
