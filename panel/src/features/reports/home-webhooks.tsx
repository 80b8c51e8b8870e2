import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Status } from '#panel/ui/status.tsx';
import { pausedWebhooksQuery } from './home-api.ts';

/** Shown until each webhook is resumed or removed, because it receives nothing meanwhile. */
export function WebhookNotices() {
  const { data } = useQuery(pausedWebhooksQuery);
  return data?.webhooks.map(({ id, url }) => (
    <Link key={id} to="/dashboard/integrations" search={{ webhook: id }} className="card home-blocked">
      <Status tone="bad">{`Webhook paused: every delivery to ${new URL(url).host} failed for 24 hours.`}</Status>
    </Link>
  ));
}
