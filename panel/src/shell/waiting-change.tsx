import { Link } from '@tanstack/react-router';
import type { Waiting } from 'contract/approvals.ts';
import { formatFact } from './fact-value.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import './waiting-change.css';

/** Beside what it would change; the first of its facts says what that is. */
export function WaitingChange({ waiting }: { waiting: Waiting | null }) {
  if (!waiting) return null;
  const [, ...facts] = waiting.facts;
  const said = facts.filter(({ name }) => name !== 'Version').map((fact) => `${fact.name}: ${formatFact(fact)}`);
  return (
    <Notice tone="waiting">
      {waiting.askedBy} asked for a change, and it waits for a second person. {said.join('; ')}.{' '}
      <Link to="/dashboard/approvals" search={{ approval: waiting.approval }} className="waiting-change-link">
        View the request
      </Link>
    </Notice>
  );
}

export const sayAsked = 'Nothing is changed yet: a second person has to approve it first.';
