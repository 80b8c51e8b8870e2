import type { Finding, FindingCode } from './audit-verification.ts';

type Params = { where: string; since: string };

const texts: Record<FindingCode, (params: Params) => string> = {
  'row-missing': ({ where }) => `row ${where} is missing`,
  'row-altered': ({ where }) => `row ${where} is altered`,
  'head-missing': ({ where }) => `row ${where} is not covered by any published head`,
  'head-forged': ({ where }) => `the head of row ${where} was never signed by a worker`,
  'head-cut': ({ where }) => `row ${where} was removed, although its head was published`,
  'head-altered': ({ where }) => `row ${where} is not the one whose head was published`,
  'publisher-stopped': ({ since }) => `the publisher of heads has stopped: the newest head is from ${since}`,
  'rows-unpublished': ({ where, since }) =>
    `row ${where} and those after it have waited for a published head since ${since}`,
  'decision-unrecorded': ({ where }) => `decided requests have no audit row: ${where}`,
  'limit-unrecorded': ({ where }) => `limits have no audit row: ${where}`,
  'role-unrecorded': ({ where }) => `the roles of administrators differ from their audit rows: ${where}`,
  'deletion-unrecorded': ({ where }) => `administrators were deleted without an audit row: ${where}`,
  'settings-unrecorded': ({ where }) => `settings have no audit row: ${where}`,
  'restore-unrecorded': ({ where }) => `the audit rows of the two who signed a restore are missing: row ${where}`,
  'decision-unsealed': ({ where }) =>
    `requests or decisions were not recorded by Bursar, or were changed since: ${where}`,
  'approval-unsigned': ({ where }) => `approvals have no valid signature of a passkey: ${where}`,
  'right-unsealed': ({ where }) => `rights to approve were not recorded by Bursar, or were changed since: ${where}`,
  'event-unsealed': ({ where }) => `events for the platform were not recorded by Bursar, and were not sent: ${where}`,
};

/** Formats what a verification of the audit log found, without a full stop: "row 9 is missing". */
export function formatFinding({ code, where, count, since }: Finding) {
  const further = count > where.length ? ` and ${count - where.length} more` : '';
  return texts[code]({ where: `${where.join(', ')}${further}`, since: since?.toISOString() ?? '' });
}
