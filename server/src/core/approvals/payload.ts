import { createHash } from 'node:crypto';
import type { ApprovalFact, ApprovalKind } from 'contract/approvals.ts';

/** Exactly what would be done, as people read it. */
export type Payload = { person: string | null; facts: ApprovalFact[] };

export const digestOf = (kind: ApprovalKind, subjectId: string, payload: Payload) =>
  createHash('sha256')
    .update(JSON.stringify([kind, subjectId, payload.person, payload.facts.map(({ name, value }) => [name, value])]))
    .digest('hex');
