import { useInfiniteQuery } from '@tanstack/react-query';
import type { SignInAttempt } from 'contract/security.ts';
import { Button } from '#panel/ui/button.tsx';
import { Card } from '#panel/ui/card.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { signInsQuery } from './api.ts';
import { formatDevice } from './device-text.ts';

export function SignIns() {
  return (
    <Card title="Sign-in history">
      <History />
    </Card>
  );
}

function History() {
  const query = useInfiniteQuery(signInsQuery);
  if (query.isLoadingError) return <LoadError title="Failed to fetch your sign-ins" query={query} />;
  if (!query.data) return <SkeletonLines lines={4} label="Loading your sign-ins" />;
  const attempts = query.data.pages.flatMap((page) => page.attempts);
  if (attempts.length === 0) return <p className="security-note">No sign-ins recorded yet.</p>;
  return (
    <>
      <ul className="security-rows">
        {attempts.map((attempt) => (
          <Attempt key={attempt.seq} attempt={attempt} />
        ))}
      </ul>
      {query.hasNextPage && (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older
        </Button>
      )}
    </>
  );
}

function Attempt({ attempt: { at, succeeded, device, network } }: { attempt: SignInAttempt }) {
  return (
    <li className="security-row">
      <div>
        <span className="security-name" title={device}>
          {formatDevice(device)}
        </span>
        <p className="security-facts">
          <span>{network}</span>
          <Timestamp at={at} />
        </p>
      </div>
      {succeeded ? <Status tone="good">Signed in</Status> : <Status tone="bad">Refused</Status>}
    </li>
  );
}
