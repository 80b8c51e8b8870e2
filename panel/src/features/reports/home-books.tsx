import { useQuery } from '@tanstack/react-query';
import { verificationOverdueAfterMs } from 'contract/ledger-verification.ts';
import { lazy, Suspense } from 'react';
import { useNowMs } from '#panel/ui/clock.ts';
import { Skeleton } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { verificationQuery } from './home-api.ts';

// Loaded on demand, because the books rarely differ.
const BooksDiffer = lazy(async () => ({ default: (await import('./home-differences.tsx')).BooksDiffer }));

/** Whether the books balance, by the last verification: a quiet line, or an alert until a verification passes. */
export function Books() {
  const { data, error } = useQuery(verificationQuery);
  const nowMs = useNowMs();
  if (!data) {
    return (
      <p className="home-books">
        {error ? (
          <Status tone="waiting">{`Failed to fetch the verification. ${error.message}`}</Status>
        ) : (
          <Skeleton width={320} />
        )}
      </p>
    );
  }
  const { passed, failed, lastFullAt } = data;
  const endedMs = [passed, failed].flatMap((verification) => (verification ? [verification.endedAt.getTime()] : []));
  const lastAt = endedMs.length > 0 ? new Date(Math.max(...endedMs)) : null;
  const isOverdue = lastAt !== null && nowMs - lastAt.getTime() > verificationOverdueAfterMs;
  return (
    <>
      {failed && (
        <Suspense fallback={<p className="home-books" />}>
          <BooksDiffer failed={failed} passedAt={passed?.endedAt ?? null} />
        </Suspense>
      )}
      {isOverdue && (
        <p className="home-books">
          <Status tone="waiting">Ledger verification is overdue</Status>. Last completed <Timestamp at={lastAt} />.
          Check that a worker is running.
        </p>
      )}
      {!failed && !isOverdue && <Balanced verifiedAt={passed?.endedAt ?? null} lastFullAt={lastFullAt} />}
    </>
  );
}

function Balanced({ verifiedAt, lastFullAt }: { verifiedAt: Date | null; lastFullAt: Date | null }) {
  if (!verifiedAt) {
    return (
      <p className="home-books">
        <Status tone="waiting">The books have not been verified yet</Status>. A worker verifies them within ten minutes.
      </p>
    );
  }
  return (
    <p className="home-books">
      <Status tone="good">Books balanced</Status>, verified <Timestamp at={verifiedAt} />, 0 differences
      {lastFullAt && (
        <span className="home-books-full">
          Verified in full <Timestamp at={lastFullAt} />
        </span>
      )}
    </p>
  );
}
