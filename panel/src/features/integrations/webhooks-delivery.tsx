import { useQuery } from '@tanstack/react-query';
import type { PlatformEvent } from 'contract/integrations-events.ts';
import type { Attempt, Delivery, Webhook } from 'contract/integrations-webhooks.ts';
import { useDetailRoute } from '#panel/domain/detail-route.ts';
import { Button } from '#panel/ui/button.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { useWriteDenied } from './change.ts';
import { pausedReason } from './webhooks-actions.tsx';
import { deliveryQuery, useRetryDelivery } from './webhooks-api.ts';
import { ReplayFrom } from './webhooks-replay.tsx';
import { deliveryNames, deliveryTones, formatAnswer } from './webhooks-text.ts';

type Props = { id: string; webhook: Webhook };

/** One event with every attempt to send it. */
export function DeliveryView({ id, webhook }: Props) {
  const { close } = useDetailRoute('delivery', id);
  const query = useQuery(deliveryQuery(id));
  const { data } = query;
  return (
    <div className="integration-view">
      <div>
        <Button variant="default" size="compact-sm" onClick={close}>
          Back to deliveries
        </Button>
      </div>
      {query.isLoadingError && <LoadError title="Failed to fetch the delivery" query={query} />}
      {!data && query.isLoading && <SkeletonLines lines={8} label="Loading the delivery" />}
      {data && (
        <>
          <Summary delivery={data.delivery} />
          <Actions delivery={data.delivery} webhook={webhook} />
          <Attempts attempts={data.attempts} />
          <EventBody event={data.event} />
        </>
      )}
    </div>
  );
}

function Summary({ delivery }: { delivery: Delivery }) {
  const { type, state, seq, eventId, subjectId, eventAt, dueAt } = delivery;
  return (
    <>
      <p className="delivery-title">{type}</p>
      <Facts
        facts={[
          { name: 'Status', value: <Status tone={deliveryTones[state]}>{deliveryNames[state]}</Status> },
          ...(state === 'pending' ? [{ name: 'Next attempt', value: nextAttempt(dueAt) }] : []),
          { name: 'Event', value: String(seq) },
          { name: 'Event ID', value: <ShortId id={eventId} /> },
          { name: 'Subject', value: <ShortId id={subjectId} /> },
          { name: 'Recorded', value: <Timestamp at={eventAt} /> },
        ]}
      />
    </>
  );
}

const nextAttempt = (dueAt: Date | null) =>
  dueAt ? <Timestamp at={dueAt} /> : 'After earlier events of the same subject';

function Actions({ delivery, webhook }: { delivery: Delivery; webhook: Webhook }) {
  const denied = useWriteDenied() ?? pausedReason(webhook);
  const retrying = useRetryDelivery();
  return (
    <div className="integration-actions">
      <Button
        variant="default"
        disabledReason={denied}
        loading={retrying.isPending}
        onClick={() => retrying.mutate({ params: { id: delivery.id } })}
      >
        Send again
      </Button>
      <ReplayFrom webhook={webhook} seq={delivery.seq} denied={denied} />
    </div>
  );
}

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <section aria-label="Attempts">
      <h3 className="integration-section">Attempts</h3>
      {attempts.length === 0 && <p className="integration-note">Not sent yet.</p>}
      <ol className="attempts" reversed>
        {attempts.map((attempt, index) => (
          <li key={attempt.no}>
            <details className="attempt" open={index === 0}>
              <summary className="attempt-head">
                <Status tone={attempt.error ? 'bad' : 'good'}>{formatAnswer(attempt.error, attempt.status)}</Status>
                <span className="delivery-facts">
                  <Timestamp at={attempt.at} />, {attempt.durationMs} ms
                </span>
              </summary>
              <h4 className="attempt-part">Request headers</h4>
              <pre className="secret-code">{headerLines(attempt)}</pre>
              <h4 className="attempt-part">Response</h4>
              <pre className="secret-code">{attempt.answer === null ? 'None' : attempt.answer || 'Empty'}</pre>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

const headerLines = ({ requestHeaders, bodyDigest }: Attempt) =>
  [...Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}`), `body SHA-256: ${bodyDigest}`].join(
    '\n',
  );

function EventBody({ event }: { event: PlatformEvent }) {
  return (
    <section aria-label="Event">
      <h3 className="integration-section">Event data</h3>
      <pre className="secret-code">{JSON.stringify(event.data, null, 2)}</pre>
    </section>
  );
}
