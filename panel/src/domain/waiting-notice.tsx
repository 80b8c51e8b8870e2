import { Link } from '@tanstack/react-router';
import type { Waiting } from 'contract/approvals.ts';
import { Notice } from '#panel/ui/notice.tsx';
import { formatFact } from './fact-words.ts';
import './waiting-notice.css';

/** The first of the facts says what would be changed, and that stands beside it already. */
export function WaitingNotice({ waiting: { approval, askedBy, facts } }: { waiting: Waiting }) {
  const [, ...changes] = facts;
  const said = changes.filter(({ name }) => name !== 'Version').map((fact) => `${fact.name}: ${formatFact(fact)}`);
  return (
    <Notice tone="waiting">
      {askedBy} asked for a change, and it waits for a second person. {said.join('; ')}.{' '}
      <Link to="/dashboard/approvals" search={{ approval }} className="waiting-change-link">
        View the request
      </Link>
    </Notice>
  );
}
