import { createHash } from 'node:crypto';
import type { ApprovalKind } from 'contract/approvals.ts';
import type { FactKey } from 'contract/approvals-facts.ts';

export type Fact = { key: FactKey; value: string; before?: string };

/** What an approval would do. The digest covers all of it. */
export type Payload = { userUuid: string | null; facts: Fact[] };

/** The version of `digestOf`. Requests of version 1 had English labels in place of keys, and are all decided. */
export const digestVersion = 2;

export const digestOf = (kind: ApprovalKind, subjectId: string, { userUuid, facts }: Payload) =>
  createHash('sha256')
    .update(
      JSON.stringify([
        digestVersion,
        kind,
        subjectId,
        userUuid,
        facts.map(({ key, before, value }) => [key, before ?? null, value]),
      ]),
    )
    .digest('hex');
