import { useQuery } from '@tanstack/react-query';
import type { OwnSession } from 'contract/security.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Card } from '#panel/ui/card.tsx';
import { Modal, ModalActions } from '#panel/ui/modal.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { sessionsQuery, useRevokeOthers, useRevokeSession } from './api.ts';
import { formatDevice } from './device-text.ts';

const failed = 'Failed to fetch your sessions';

export function Sessions() {
  const query = useQuery(sessionsQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  return (
    <Card title="Active sessions">
      {query.data ? (
        <SessionList sessions={query.data.sessions} />
      ) : query.isLoadingError ? (
        <LoadError title={failed} query={query} />
      ) : (
        <SkeletonLines lines={3} label="Loading your sessions" />
      )}
    </Card>
  );
}

function SessionList({ sessions }: { sessions: readonly OwnSession[] }) {
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  const { mutate, isPending } = useRevokeOthers(close);
  const isOnly = sessions.length < 2 ? 'There are no other sessions.' : undefined;
  return (
    <>
      <ul className="security-rows">
        {sessions.map((session) => (
          <SessionItem key={session.id} session={session} />
        ))}
      </ul>
      <Button variant="default" disabledReason={isOnly} onClick={() => setOpened(true)}>
        Sign out everywhere else
      </Button>
      <Modal title="Sign out everywhere else" opened={opened} onClose={close}>
        <p className="security-note">All your sessions except this one end immediately.</p>
        <ModalActions waiting={isPending}>
          <Button loading={isPending} onClick={() => mutate({})}>
            Sign out everywhere else
          </Button>
        </ModalActions>
      </Modal>
    </>
  );
}

function SessionItem({ session: { id, device, network, createdAt, lastUsedAt, current } }: { session: OwnSession }) {
  const { mutate, isPending } = useRevokeSession();
  const name = formatDevice(device);
  return (
    <li className="security-row">
      <div>
        <span className="security-name" title={device}>
          {name}
        </span>
        <p className="security-facts">
          <span>{network}</span>
          <span>
            Signed in <Timestamp at={createdAt} />
          </span>
          {!current && (
            <span>
              Last used <Timestamp at={lastUsedAt} />
            </span>
          )}
        </p>
      </div>
      {current ? (
        <Status tone="good">This session</Status>
      ) : (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`End session of ${name}`}
          loading={isPending}
          onClick={() => mutate({ params: { id } })}
        >
          End session
        </Button>
      )}
    </li>
  );
}
