import { IconExternalLink } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { holds } from 'contract/core/permissions.ts';
import { useMe } from '#panel/shell/me.ts';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { EmptyState } from '#panel/ui/states.tsx';
import { KeysTab } from './keys-tab.tsx';
import { WebhooksTab } from './webhooks-tab.tsx';
import './integrations.css';
import '#panel/ui/tabs.css';

const route = getRouteApi('/dashboard/integrations');

export function IntegrationsPage() {
  const mayRead = holds(useMe(), 'audit.read');
  const { tab, webhook } = route.useSearch();
  // A link to a webhook, as on Home, names no tab.
  const shown = tab ?? (webhook === undefined ? 'keys' : 'webhooks');
  return (
    <PageFrame title="Integrations" now="Connect the platform to Bursar." action={<ReferenceLink />}>
      <nav className="tabs" aria-label="Integrations">
        <TabLink tab={undefined} name="API keys" current={shown === 'keys'} />
        <TabLink tab="webhooks" name="Webhooks" current={shown === 'webhooks'} />
      </nav>
      {mayRead && shown === 'keys' && <KeysTab />}
      {mayRead && shown === 'webhooks' && <WebhooksTab />}
      {!mayRead && (
        <EmptyState
          title="You don't have access to integrations."
          line="Super Admins and auditors can see them. Ask a Super Admin if you need something changed."
        />
      )}
    </PageFrame>
  );
}

/** The reference is a page of its own, with another content policy, so it is not a route of the panel. */
function ReferenceLink() {
  return (
    <a className="reference-link" href="/reference" target="_blank" rel="noopener">
      API reference <IconExternalLink size={14} stroke={1.75} aria-label="opens in a new tab" />
    </a>
  );
}

type TabProps = { tab: 'webhooks' | undefined; name: string; current: boolean };

function TabLink({ tab, name, current }: TabProps) {
  return (
    <Link
      to="/dashboard/integrations"
      search={tab === undefined ? {} : { tab }}
      className="tab"
      aria-current={current ? 'page' : undefined}
      activeProps={{}}
    >
      {name}
    </Link>
  );
}
