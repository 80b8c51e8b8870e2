import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { useMe } from '#panel/shell/me.ts';
import { Card } from '#panel/ui/card.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { maintenanceQuery, switchQuery, useSetSwitch } from './api.ts';

const failed = 'Failed to fetch the withdrawal setting';

/** The platform-wide switch for withdrawals, the same for every administrator. */
export function SwitchCard() {
  const query = useQuery(switchQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data, error } = query;
  return (
    <Card title="Withdrawal settings">
      {data ? (
        <WithdrawalSwitch {...data.switch} />
      ) : error ? (
        <LoadError title={failed} query={query} />
      ) : (
        <SkeletonLines lines={2} label="Loading the withdrawal setting" />
      )}
    </Card>
  );
}

type Shown = { enabled: boolean; changedBy: string | null; changedAt: Date | null };

function WithdrawalSwitch({ enabled, changedBy, changedAt }: Shown) {
  const denied = holds(useMe(), 'switches.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const { pending, set } = useSetSwitch();
  return (
    <div className="withdrawal-switch">
      <Frozen />
      <Switch
        label="Enable withdrawals"
        description={
          <>
            {/* Shows the stored state, not the pending one: the text must not say "stopped" before it is true. */}
            {enabled
              ? 'Users can request withdrawals, and admins can approve them. '
              : 'Withdrawals cannot be requested or approved. Pending ones can still be rejected. '}
            {denied}
          </>
        }
        checked={pending ?? enabled}
        disabled={denied !== undefined}
        onChange={({ currentTarget }) => pending === undefined && set(currentTarget.checked)}
      />
      <p className="withdrawal-quiet">
        {changedAt ? (
          <>
            {enabled ? 'Enabled' : 'Disabled'} by {changedBy ?? 'the system'}, <Timestamp at={changedAt} />
          </>
        ) : (
          'Enabled by default'
        )}
      </p>
    </div>
  );
}

function Frozen() {
  const { data } = useQuery(maintenanceQuery);
  if (!data?.maintenance.active) return null;
  return (
    <Notice tone="waiting">
      Withdrawals are frozen while the platform is under maintenance, regardless of this setting.
    </Notice>
  );
}
