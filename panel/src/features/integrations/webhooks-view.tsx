import { getRouteApi } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { Webhook } from 'contract/integrations-webhooks.ts';
import { Trail } from '#panel/domain/trail.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { WebhookActions } from './webhooks-actions.tsx';
import { webhooksQuery } from './webhooks-api.ts';
import { Deliveries } from './webhooks-deliveries.tsx';
import { DeliveryView } from './webhooks-delivery.tsx';
import { formatTypes, webhookStatus } from './webhooks-text.ts';

const route = getRouteApi('/dashboard/integrations');

/** A webhook with its deliveries, or one of them. */
export function WebhookView({ id, known }: RowViewProps<Webhook>) {
  const { delivery } = route.useSearch();
  const query = useQuery(webhooksQuery);
  const webhook = query.data ? query.data.webhooks.find((one) => one.id === id) : known;
  if (query.isLoadingError) return <LoadError title="Failed to fetch the webhook" query={query} />;
  if (!webhook && query.data) return <EmptyState title="This webhook no longer exists." line="It was removed." />;
  if (!webhook) return <SkeletonLines lines={6} label="Loading the webhook" />;
  if (delivery) return <DeliveryView id={delivery} webhook={webhook} />;
  const { tone, text } = webhookStatus(webhook);
  const { url, description, failingSince, rotatingUntil, createdAt, createdBy, state } = webhook;
  return (
    <div className="integration-view">
      <p className="webhook-url webhook-title">{url}</p>
      {state === 'paused' && webhook.pausedReason === 'failing' && (
        <Notice tone="bad">
          Paused because every delivery failed for 24 hours. Fix your server, then resume. Missed events are sent in
          order.
        </Notice>
      )}
      <Facts
        facts={[
          { name: 'Status', value: <Status tone={tone}>{text}</Status> },
          ...(failingSince ? [{ name: 'Failing since', value: <Timestamp at={failingSince} /> }] : []),
          ...(description ? [{ name: 'Description', value: description }] : []),
          {
            name: 'Events',
            value: webhook.types && webhook.types.length > 1 ? webhook.types.join(', ') : formatTypes(webhook),
          },
          ...(rotatingUntil ? [{ name: 'Old secret valid until', value: <Timestamp at={rotatingUntil} /> }] : []),
          {
            name: 'Added',
            value: (
              <>
                <Timestamp at={createdAt} /> by {createdBy}
              </>
            ),
          },
        ]}
      />
      <WebhookActions webhook={webhook} />
      <Deliveries webhook={webhook} />
      <Trail feature="integrations" subject={id} />
    </div>
  );
}
