import { Link } from '@tanstack/react-router';
import { formatDifference } from 'contract/ledger-differences.ts';
import type { Verification } from 'contract/ledger-verification.ts';
import { Notice } from '#panel/ui/notice.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';

type BooksDifferProps = { failed: Verification; passedAt: Date | null };

/** What a verification found, and what to do. */
export function BooksDiffer({ failed, passedAt }: BooksDifferProps) {
  const count = failed.differences.reduce((sum, { params }) => sum + params.count, 0);
  const differences = formatTotal({ count, capped: false }, { one: 'difference', many: 'differences' });
  return (
    <div className="home-differences">
      <Notice tone="bad">
        <strong>Books do not balance: {differences}</strong>
        <p>
          Found by the {failed.form} verification <Timestamp at={failed.endedAt} />.{' '}
          {passedAt && (
            <>
              Last passed <Timestamp at={passedAt} />.
            </>
          )}
        </p>
        <ul>
          {failed.differences.map((difference) => (
            <li key={difference.code}>{inSentenceCase(formatDifference(difference))}</li>
          ))}
        </ul>
        <p>
          Don't approve or start any payments until the cause is known. On the server,{' '}
          <code>npx bursar ledger verify{failed.form === 'full' ? ' --full' : ''}</code> verifies again; this notice
          stays until that passes. <Link to="/dashboard/ledger">View ledger</Link>
        </p>
      </Notice>
    </div>
  );
}

const inSentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
