import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApiKey } from 'contract/integrations-keys.ts';
import { Trail } from '#panel/domain/trail.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { type RowViewProps } from '#panel/ui/row-drawer.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { KeyActions } from './keys-actions.tsx';
import { keysQuery, keyUsageQuery } from './keys-api.ts';
import { keyStates, scopeTexts, secretStates } from './keys-text.ts';

export function KeyView({ id, known }: RowViewProps<ApiKey>) {
  const query = useQuery(keysQuery);
  const apiKey = query.data ? query.data.keys.find((one) => one.id === id) : known;
  if (query.isLoadingError) return <LoadError title="Failed to fetch the API key" query={query} />;
  if (!apiKey && query.data)
    return <EmptyState title="This API key doesn't exist." line="The link may be incomplete." />;
  if (!apiKey) return <SkeletonLines lines={6} label="Loading the API key" />;
  const { name, state, requestsPerMinute, expiresAt, createdAt, createdBy, scopes } = apiKey;
  const { tone, text } = keyStates[state];
  return (
    <div className="integration-view">
      <h3 className="integration-title">{name}</h3>
      <Facts
        facts={[
          { name: 'Status', value: <Status tone={tone}>{text}</Status> },
          { name: 'Scopes', value: scopes.map((scope) => scopeTexts[scope]).join(', ') },
          { name: 'Limit', value: `${formatCount(requestsPerMinute)} requests per minute` },
          { name: 'Expires', value: expiresAt ? <Timestamp at={expiresAt} /> : 'Never' },
          {
            name: 'Created',
            value: (
              <>
                <Timestamp at={createdAt} /> by {createdBy}
              </>
            ),
          },
        ]}
      />
      <KeyActions apiKey={apiKey} />
      <Secrets secrets={apiKey.secrets} />
      <Usage id={id} />
      <Trail feature="integrations" subject={id} />
    </div>
  );
}

function Secrets({ secrets }: Pick<ApiKey, 'secrets'>) {
  return (
    <section aria-label="Secrets">
      <h4 className="integration-section">Secrets</h4>
      <ul className="integration-rows">
        {secrets.map(({ prefix, state, waiting, validUntil, lastUsedAt, createdBy, createdAt }) => (
          <li key={prefix} className="integration-row">
            <code className="secret-prefix">{prefix}_…</code>
            <Status tone={secretStates[state].tone}>{secretStates[state].text}</Status>
            <span className="integration-facts">
              <span>
                Created <Timestamp at={createdAt} /> by {createdBy}
              </span>
              <span>
                {lastUsedAt ? (
                  <>
                    Last used <Timestamp at={lastUsedAt} />
                  </>
                ) : (
                  'Never used'
                )}
              </span>
              {validUntil && (
                <span>
                  Valid until <Timestamp at={validUntil} />
                </span>
              )}
              {waiting && (
                <Link to="/dashboard/approvals" search={{ approval: waiting.approval }}>
                  View request
                </Link>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Usage({ id }: { id: string }) {
  const query = useQuery(keyUsageQuery(id));
  if (query.isLoadingError) return <LoadError title="Failed to fetch the usage" query={query} />;
  if (!query.data) return <SkeletonLines lines={3} label="Loading the usage" />;
  const hours = query.data.hours.toReversed();
  return (
    <section aria-label="Requests by hour">
      <h4 className="integration-section">Requests by hour, last 7 days</h4>
      {hours.length === 0 ? (
        <p className="integration-note">No requests.</p>
      ) : (
        <table className="key-usage">
          <thead>
            <tr>
              <th scope="col">Hour</th>
              <th scope="col">Requests</th>
              <th scope="col">Errors</th>
            </tr>
          </thead>
          <tbody>
            {hours.map(({ hour, requests, errors }) => (
              <tr key={hour.getTime()}>
                <td>
                  <Timestamp at={hour} />
                </td>
                <td>{formatCount(requests)}</td>
                <td>{formatCount(errors)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
