import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Webhook } from 'contract/integrations-webhooks.ts';
import { lazy, Suspense, useState } from 'react';
import { useChangeView } from '#panel/domain/change-view.ts';
import { overList } from '#panel/domain/detail-route.ts';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { RowDrawer } from '#panel/ui/row-drawer.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { useWriteDenied } from './change.ts';
import { closedWebhook } from './search.ts';
import { webhooksQuery } from './webhooks-api.ts';
import { formatTypes, webhookStatus } from './webhooks-text.ts';
import './webhooks.css';

const route = getRouteApi('/dashboard/integrations');

// Loaded on first use, so that the list loads faster.
const WebhookForm = lazy(async () => ({ default: (await import('./webhooks-form.tsx')).WebhookForm }));
const WebhookView = lazy(async () => ({ default: (await import('./webhooks-view.tsx')).WebhookView }));

export function WebhooksTab() {
  const denied = useWriteDenied();
  const [adding, setAdding] = useState(false);
  const close = () => setAdding(false);
  const { webhook } = route.useSearch();
  const { data } = useQuery(webhooksQuery);
  const change = useChangeView();
  const add = (
    <Button disabledReason={denied} onClick={() => setAdding(true)}>
      Add webhook
    </Button>
  );
  return (
    <section className="card" aria-label="Webhooks">
      <div className="integration-head">
        <p className="integration-note">
          Events are sent to each URL as they happen, signed, and in order for each subject.
        </p>
        {add}
      </div>
      <Webhooks />
      <Modal title="Add webhook" opened={adding} onClose={close}>
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <WebhookForm onClose={close} />
        </Suspense>
      </Modal>
      <RowDrawer
        title="Webhook"
        View={WebhookView}
        id={webhook}
        rows={data?.webhooks}
        onClose={() => change({ ...closedWebhook, tab: 'webhooks' }, { replace: true })}
      />
    </section>
  );
}

const failed = 'Failed to fetch the webhooks';

function Webhooks() {
  const query = useQuery(webhooksQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!query.data) return <SkeletonLines lines={3} label="Loading the webhooks" />;
  const { webhooks } = query.data;
  if (webhooks.length === 0)
    return <EmptyState title="No webhooks yet." line="Add one to send events to your own server." />;
  return (
    <ul className="integration-list">
      {webhooks.map((webhook) => (
        <WebhookItem key={webhook.id} webhook={webhook} />
      ))}
    </ul>
  );
}

function WebhookItem({ webhook }: { webhook: Webhook }) {
  const { tone, text } = webhookStatus(webhook);
  const { id, url, description, pending, failed: failedCount } = webhook;
  return (
    <li className="integration-item">
      <Link {...overList('webhook', id)} className="integration-link">
        <span className="webhook-url">{url}</span>
        <Status tone={tone}>{text}</Status>
      </Link>
      <p className="integration-facts">
        {description && <span>{description}</span>}
        <span>{formatTypes(webhook)}</span>
        {pending > 0 && <span>{formatCount(pending)} pending</span>}
        {failedCount > 0 && <span className="webhook-failed">{formatCount(failedCount)} failed</span>}
      </p>
    </li>
  );
}
