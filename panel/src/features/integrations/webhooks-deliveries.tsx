import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type Delivery, DeliveryState, type Webhook } from 'contract/integrations-webhooks.ts';
import { useChangeView } from '#panel/domain/change-view.ts';
import { overList } from '#panel/domain/detail-route.ts';
import { Button } from '#panel/ui/button.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { deliveriesQuery } from './webhooks-api.ts';
import { deliveryNames, deliveryTones, formatLastAnswer } from './webhooks-text.ts';

const route = getRouteApi('/dashboard/integrations');

/** What was sent to a webhook, newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { deliveries: state } = route.useSearch();
  const change = useChangeView();
  return (
    <section aria-label="Deliveries">
      <h3 className="integration-section">Deliveries</h3>
      <fieldset className="webhook-filter" aria-label="Show">
        {[undefined, ...DeliveryState.options].map((option) => (
          <Button
            key={option ?? 'all'}
            size="compact-sm"
            variant={option === state ? 'light' : 'default'}
            aria-pressed={option === state}
            onClick={() => change({ deliveries: option }, { replace: true })}
          >
            {option ? deliveryNames[option] : 'All'}
          </Button>
        ))}
      </fieldset>
      <DeliveryList webhook={webhook} state={state} />
    </section>
  );
}

function DeliveryList({ webhook, state }: { webhook: Webhook; state: DeliveryState | undefined }) {
  const query = useInfiniteQuery(deliveriesQuery(webhook.id, state));
  if (query.isLoadingError) return <LoadError title="Failed to fetch the deliveries" query={query} />;
  if (!query.data) return <SkeletonLines lines={4} label="Loading the deliveries" />;
  const deliveries = query.data.pages.flatMap((page) => page.deliveries);
  if (deliveries.length === 0) {
    const line = state ? 'No deliveries with this status.' : 'New events appear here. Send a test event to try it.';
    return <EmptyState title="No deliveries." line={line} />;
  }
  return (
    <>
      <ul className="deliveries">
        {deliveries.map((delivery) => (
          <DeliveryItem key={delivery.id} delivery={delivery} />
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

function DeliveryItem({ delivery }: { delivery: Delivery }) {
  const { id, seq, type, state, attempts, eventAt } = delivery;
  return (
    <li>
      <Link {...overList('delivery', id)} className="delivery">
        <span className="delivery-type">{type}</span>
        <Status tone={deliveryTones[state]}>{deliveryNames[state]}</Status>
        <span className="delivery-facts">
          Event {String(seq)}, <Timestamp at={eventAt} />
          {attempts > 0 && `, ${formatLastAnswer(delivery)}`}
          {attempts > 1 && `, ${attempts} attempts`}
        </span>
      </Link>
    </li>
  );
}
