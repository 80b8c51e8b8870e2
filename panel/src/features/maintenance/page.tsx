import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import type { Maintenance } from 'contract/maintenance.ts';
import { holds } from 'contract/core/permissions.ts';
import { useMe } from '#panel/shell/me.ts';
import { Card } from '#panel/ui/card.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { maintenanceQuery, useSetMaintenance } from './api.ts';
import { Countdown } from './countdown.tsx';
import './maintenance.css';

export function MaintenancePage() {
  const query = useQuery(maintenanceQuery);
  const { data, dataUpdatedAt, error } = query;
  return (
    <PageFrame title="Maintenance" now={data ? <LastChange maintenance={data.maintenance} /> : ''}>
      <div className="maintenance">
        <Card>
          {data ? (
            <Mode maintenance={data.maintenance} receivedAtMs={dataUpdatedAt} />
          ) : error ? (
            <LoadError title="The maintenance mode could not be loaded." query={query} />
          ) : (
            <SkeletonLines label="Loading the maintenance mode" />
          )}
        </Card>
      </div>
    </PageFrame>
  );
}

function LastChange({ maintenance: { active, changedBy, changedAt } }: { maintenance: Maintenance }) {
  if (!changedAt) return 'Never used';
  return (
    <>
      Switched {active ? 'on' : 'off'} by {changedBy ?? 'an administrator'} <Timestamp at={changedAt} />
    </>
  );
}

function Mode({ maintenance, receivedAtMs }: { maintenance: Maintenance; receivedAtMs: number }) {
  const { active, endsAt, now } = maintenance;
  const setting = useSetMaintenance();
  const denied = holds(useMe(), 'switches.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const wanted = setting.isPending ? setting.variables.body.active : active;
  return (
    <>
      <div className="maintenance-head">
        <Switch
          size="md"
          label="Maintenance mode"
          description={denied ?? 'Starts a one-hour window. Every administrator sees it immediately.'}
          checked={wanted}
          disabled={denied !== undefined}
          onChange={(event) => {
            if (!setting.isPending) setting.mutate({ body: { active: event.currentTarget.checked } });
          }}
        />
        <output className="maintenance-badge" data-active={active || undefined}>
          {active ? (
            <Status tone="waiting">Active (Under Maintenance)</Status>
          ) : (
            <Status tone="good">Running Normally</Status>
          )}
        </output>
      </div>
      {active && endsAt && (
        <div className="maintenance-active">
          <Countdown endsAt={endsAt} now={now} receivedAtMs={receivedAtMs} />
          <p className="maintenance-message">
            We are currently upgrading our systems to serve you better. Please check back after the maintenance window.
            Thank you for your patience.
          </p>
        </div>
      )}
    </>
  );
}
