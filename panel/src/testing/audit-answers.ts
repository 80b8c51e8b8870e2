import { type AuditEntry, listAuditEntries, readAuditChoices, readAuditEntry } from 'contract/audit.ts';
import { type Admin, answerFrame, signedInId } from './app.ts';
import { longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';

let written = 0;

export function auditEntry(given: Partial<AuditEntry> = {}): AuditEntry {
  written += 1;
  return {
    id: String(written),
    at: longAgo,
    actor: 'ines.moreau',
    apiKey: null,
    caller: signedInId,
    action: 'tickets.set-status',
    subject: null,
    subjectName: null,
    details: { before: { status: 'open' }, after: { status: 'closed' } },
    ...given,
  };
}

export function answerAudit(entries: readonly AuditEntry[], admin?: Admin) {
  answerFrame(admin);
  answer(listAuditEntries, () => ({ entries: [...entries], ...onePage(entries) }));
  answer(readAuditEntry, ({ params }) => ({ entry: entries.find(({ id }) => id === params.id) ?? auditEntry() }));
  answer(readAuditChoices, {
    callers: [{ id: signedInId, name: 'ines.moreau', isKey: false }],
    actions: ['tickets.create', 'tickets.set-status', 'users.blacklist'],
  });
}
