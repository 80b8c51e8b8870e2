import { useQuery } from '@tanstack/react-query';
import type { Factors as FactorsOfAccount } from 'contract/security-factors.ts';
import { lazy, Suspense, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Card } from '#panel/ui/card.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { factorsQuery, useStartApp } from './factors-api.ts';
import { Passkeys } from './passkeys.tsx';

// Loaded on first use, so that the screen loads faster.
const AppSetup = lazy(async () => ({ default: (await import('./app-setup.tsx')).AppSetup }));
const AppRemoval = lazy(async () => ({ default: (await import('./app-removal.tsx')).AppRemoval }));
const NewPasskey = lazy(async () => ({ default: (await import('./new-passkey.tsx')).NewPasskey }));
const NewCodes = lazy(async () => ({ default: (await import('./new-codes.tsx')).NewCodes }));

export function Factors() {
  const query = useQuery(factorsQuery);
  return (
    <Card title="Two-factor authentication">
      {query.data ? (
        <FactorList factors={query.data.factors} />
      ) : query.isLoadingError ? (
        <LoadError title="Failed to fetch your second factors" query={query} />
      ) : (
        <SkeletonLines lines={2} label="Loading your second factors" />
      )}
    </Card>
  );
}

const titles = {
  setup: 'Set up an authenticator app',
  removal: 'Remove the authenticator app',
  codes: 'New recovery codes',
  passkey: 'Add a passkey',
};
type Action = keyof typeof titles;

function FactorList({ factors }: { factors: FactorsOfAccount }) {
  const [action, setAction] = useState<Action>('setup');
  const [opened, setOpened] = useState(false);
  const start = (next: Action) => {
    setAction(next);
    setOpened(true);
  };
  const close = () => setOpened(false);
  const app = useStartApp(() => start('setup'));
  return (
    <>
      <p className="security-note">
        {factors.required
          ? 'You need two-factor authentication to move money.'
          : 'Protects your account if someone learns your password.'}
      </p>
      <ul className="security-rows">
        <App
          since={factors.appSince}
          starting={app.isPending}
          onSetUp={() => app.mutate({})}
          onRemove={() => start('removal')}
        />
        <Passkeys onAdd={() => start('passkey')} />
        {factors.recoveryCodesLeft > 0 && <Codes left={factors.recoveryCodesLeft} onCreate={() => start('codes')} />}
      </ul>
      <Modal title={titles[action]} opened={opened} onClose={close}>
        <Suspense fallback={<SkeletonLines lines={6} />}>
          {action === 'setup' && app.data && <AppSetup started={app.data} onClose={close} />}
          {action === 'removal' && <AppRemoval onClose={close} />}
          {action === 'codes' && <NewCodes onClose={close} />}
          {action === 'passkey' && <NewPasskey onClose={close} />}
        </Suspense>
      </Modal>
    </>
  );
}

type AppProps = { since: Date | null; starting: boolean; onSetUp: () => void; onRemove: () => void };

function App({ since, starting, onSetUp, onRemove }: AppProps) {
  return (
    <li className="security-row">
      <div>
        <span className="security-name">Authenticator app</span>
        <p className="security-facts">
          {since ? (
            <>
              <Status tone="good">Active</Status>
              <span>
                Set up <Timestamp at={since} />
              </span>
            </>
          ) : (
            'A code from an app on your phone, in addition to your password.'
          )}
        </p>
      </div>
      {since ? (
        <Button variant="default" onClick={onRemove}>
          Remove
        </Button>
      ) : (
        <Button loading={starting} onClick={onSetUp}>
          Set up
        </Button>
      )}
    </li>
  );
}

function Codes({ left, onCreate }: { left: number; onCreate: () => void }) {
  return (
    <li className="security-row">
      <div>
        <span className="security-name">Recovery codes</span>
        <p className="security-facts">{left === 1 ? '1 code left.' : `${left} codes left.`} Each works once.</p>
      </div>
      <Button variant="default" onClick={onCreate}>
        Create new codes
      </Button>
    </li>
  );
}
