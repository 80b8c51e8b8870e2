import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ApiKey } from 'contract/integrations-keys.ts';
import { lazy, Suspense, useState } from 'react';
import { useChangeView } from '#panel/domain/change-view.ts';
import { overList } from '#panel/domain/detail-route.ts';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { RowDrawer } from '#panel/ui/row-drawer.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { useWriteDenied } from './change.ts';
import { keysQuery } from './keys-api.ts';
import { formatUsage, keyStates } from './keys-text.ts';

const route = getRouteApi('/dashboard/integrations');

// Loaded on first use, so that the list loads faster.
const KeyForm = lazy(async () => ({ default: (await import('./keys-form.tsx')).KeyForm }));
const KeyView = lazy(async () => ({ default: (await import('./keys-view.tsx')).KeyView }));

export function KeysTab() {
  const denied = useWriteDenied();
  const [adding, setAdding] = useState(false);
  const close = () => setAdding(false);
  const { key } = route.useSearch();
  const { data } = useQuery(keysQuery);
  const change = useChangeView();
  return (
    <section className="card" aria-label="API keys">
      <div className="integration-head">
        <p className="integration-note">
          The platform calls Bursar with an API key. Each key can only do what its scopes allow.
        </p>
        <Button disabledReason={denied} onClick={() => setAdding(true)}>
          Create API key
        </Button>
      </div>
      <Keys />
      <Modal title="Create API key" opened={adding} onClose={close}>
        <Suspense fallback={<SkeletonLines lines={8} />}>
          <KeyForm onClose={close} />
        </Suspense>
      </Modal>
      <RowDrawer
        title="API key"
        View={KeyView}
        id={key}
        rows={data?.keys}
        onClose={() => change({ key: undefined }, { replace: true })}
      />
    </section>
  );
}

const failed = 'Failed to fetch the API keys';

function Keys() {
  const query = useQuery(keysQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!query.data) return <SkeletonLines lines={3} label="Loading the API keys" />;
  const { keys } = query.data;
  if (keys.length === 0) return <EmptyState title="No API keys yet." line="Create one to connect your platform." />;
  return (
    <ul className="integration-list">
      {keys.map((key) => (
        <KeyItem key={key.id} apiKey={key} />
      ))}
    </ul>
  );
}

function KeyItem({ apiKey }: { apiKey: ApiKey }) {
  const { id, name, state, scopes, lastUsedAt } = apiKey;
  const { tone, text } = keyStates[state];
  return (
    <li className="integration-item">
      <Link {...overList('key', id)} className="integration-link">
        <span className="integration-name">{name}</span>
        <Status tone={tone}>{text}</Status>
      </Link>
      <p className="integration-facts">
        <span>{scopes.length === 1 ? scopes.join() : `${scopes.length} scopes`}</span>
        <span>{formatUsage(apiKey)}</span>
        <span>
          {lastUsedAt ? (
            <>
              Last used <Timestamp at={lastUsedAt} />
            </>
          ) : (
            'Never used'
          )}
        </span>
      </p>
    </li>
  );
}
