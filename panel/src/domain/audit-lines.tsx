import type { AuditEntry } from 'contract/audit.ts';
import { formatDetails } from './audit-text.ts';
import './audit-entry.css';

/** The details of an audit row, one line for each field. */
export function AuditLines({ details, atMost }: Pick<AuditEntry, 'details'> & { atMost?: number }) {
  const lines = formatDetails(details);
  const shown = atMost === undefined ? lines : lines.slice(0, atMost);
  return (
    <ul className="audit-lines">
      {shown.map((line) => (
        <li key={line}>{line}</li>
      ))}
      {shown.length < lines.length && <li className="audit-quiet">{`and ${lines.length - shown.length} more`}</li>}
    </ul>
  );
}
