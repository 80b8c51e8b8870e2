import { Link } from '@tanstack/react-router';
import { findFact } from 'contract/approvals-facts.ts';
import type { Waiting } from 'contract/approvals.ts';
import { Notice } from '#panel/ui/notice.tsx';
import { formatFact, labelOfFact } from './fact-text.ts';
import './waiting-notice.css';

export function WaitingNotice({ waiting: { approval, requestedBy, facts } }: { waiting: Waiting }) {
  const isDeletion = findFact(facts, 'role')?.value === 'deleted';
  const changes = isDeletion ? [] : facts.filter(({ key, before }) => before !== undefined && key !== 'version');
  const texts = changes.map((fact) => `${labelOfFact(fact)}: ${formatFact(fact)}`);
  return (
    <Notice tone="waiting">
      {isDeletion ? 'The deletion' : 'A change'} requested by {requestedBy} is waiting for a second approver.{' '}
      {texts.length > 0 && `${texts.join('; ')}. `}
      <Link to="/dashboard/approvals" search={{ approval }} className="waiting-change-link">
        View request
      </Link>
    </Notice>
  );
}
