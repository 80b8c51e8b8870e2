import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type RunKind, runKinds } from 'contract/run-kinds.ts';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Waiting } from 'contract/approvals.ts';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import type { ScheduledJob } from 'contract/runs-schedule.ts';
import { isOver } from 'contract/run-states.ts';
import { type ListedRun, planRun } from 'contract/runs.ts';
import { useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Paid, Planned, formatRecipients } from '#panel/domain/run-outcome.tsx';
import { RunState } from '#panel/domain/run-state.tsx';
import { formatRun, formatPeriod } from '#panel/domain/run-text.ts';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { Card } from '#panel/ui/card.tsx';
import { type Fact, Facts } from '#panel/ui/facts.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { exactUtc } from '#panel/ui/time-text.ts';
import { reportFailure, useReportedFailure } from '#panel/ui/reported-failure.ts';
import { BlockedNotice } from './blocked-notice.tsx';
import { latestRunQuery, scheduleQuery, usePlanning } from './run-api.ts';

/** A past period that can be planned, and a time in it. */
export type PastPeriod = { name: string; at: Date };

type Props = {
  job: RunKind;
  unsaved: boolean;
  /** Past periods that an administrator can choose, the latest first. */
  pastPeriods?: readonly PastPeriod[];
};
type WaitingProps = Props & { waiting: Waiting | null };

const failed = 'The latest run could not be loaded.';

/** The latest and next run of a job, and the button that previews the next one. */
export function NextRun({ job, ...props }: WaitingProps) {
  const query = useQuery(latestRunQuery(job));
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data, error } = query;
  return (
    <Card title="Next run">
      {data ? (
        <Known job={job} {...props} latest={data.runs[0]} />
      ) : error ? (
        <LoadError title={failed} query={query} />
      ) : (
        <SkeletonLines lines={4} label="Loading the latest run" />
      )}
    </Card>
  );
}

function Known({ waiting, latest, ...props }: WaitingProps & { latest: ListedRun | undefined }) {
  const { job } = props;
  const live = latest && !isOver(latest.state) ? latest : undefined;
  const due = useQuery(scheduleQuery).data?.schedule.find((one) => one.job === job);
  const blockedSchedule = due?.blockedSchedule ?? null;
  return (
    <div className="jobs-next">
      {blockedSchedule !== null && <BlockedNotice job={job} blockedSchedule={blockedSchedule} />}
      <Facts facts={[...dueOf(due), ...factsOf(latest)]} />
      <p className="jobs-hint">
        A preview calculates the payments from the settings in effect for its period. Nothing is paid until the run is
        started.
        {due?.enabled && ' Due runs are planned automatically.'}
        {waiting && ' The change that waits for a second approver is not included.'}
      </p>
      <div className="form-foot">
        <Preview {...props} live={live} replan={blockedSchedule?.nextAction === 'plan'} />
        <Link to="/dashboard/runs" search={{ kind: job }} className="jobs-link">
          Latest runs
        </Link>
      </div>
    </div>
  );
}

/** The limit is that of the schedule. A run that an administrator starts counts into their own daily limit instead. */
function dueOf(due: ScheduledJob | undefined): Fact[] {
  if (!due || !runKinds[due.job].isScheduled) return [];
  const { amount, asset } = due.limit;
  const limit = { name: 'Runs automatically up to', value: <AssetAmount amount={amount} asset={asset} /> };
  const other = due.blockedSchedule === null ? 'Not scheduled' : 'On hold';
  return [{ name: 'Due', value: due.nextRun ? exactUtc(due.nextRun) : other }, ...(due.enabled ? [limit] : [])];
}

function factsOf(run: ListedRun | undefined): Fact[] {
  if (!run) return [{ name: 'Latest', value: 'Never run' }];
  return [
    {
      name: 'Latest',
      value: (
        <Link to="/dashboard/runs/$id" params={{ id: run.id }} className="jobs-link">
          {run.reverses === null ? formatPeriod(run) : formatRun(run)}
        </Link>
      ),
    },
    { name: 'State', value: <RunState run={run} /> },
    ...(run.planHash === null
      ? []
      : [
          { name: 'Recipients', value: formatRecipients(run) },
          { name: 'Planned', value: <Planned run={run} /> },
          { name: 'Paid', value: <Paid run={run} /> },
        ]),
  ];
}

type PreviewProps = Props & { live: ListedRun | undefined; replan: boolean };

/** A preview supersedes a run that is only planned. A started run must finish first. */
function Preview({ job, unsaved, pastPeriods, live, replan }: PreviewProps) {
  const denied = holds(useMe(), 'money.prepare') ? undefined : anyCallRefusals[403].PermissionDenied;
  const navigate = useNavigate();
  const [period, setPeriod] = useState<PastPeriod>();
  const planning = usePlanning({
    onPlanned: ({ run: { id } }) => void navigate({ to: '/dashboard/runs/$id', params: { id } }),
  });
  const busy = live && live.state !== 'planned' ? planRun.refusals[409].RunUnderWay : undefined;
  const preview = () => {
    if (planning.isPending) return;
    planning.mutate(
      { body: { kind: job, ...(period && { at: period.at }) } },
      { onError: (failure) => reportFailure('Failed to preview the run', failure) },
    );
  };
  return (
    <>
      {pastPeriods && <PeriodChoice periods={pastPeriods} onChoose={setPeriod} />}
      <Button
        variant={replan ? 'filled' : 'default'}
        loading={planning.isPending}
        disabledReason={denied ?? (unsaved ? 'Save the settings first. A preview uses the saved settings.' : busy)}
        onClick={preview}
      >
        {replan ? 'Plan again' : 'Preview'}
      </Button>
    </>
  );
}

type ChoiceProps = { periods: readonly PastPeriod[]; onChoose: (period: PastPeriod | undefined) => void };

function PeriodChoice({ periods, onChoose }: ChoiceProps) {
  return (
    <NativeSelect
      aria-label="Period to pay"
      data={['This week', ...periods.map(({ name }) => name)]}
      onChange={({ currentTarget }) => onChoose(periods.find(({ name }) => name === currentTarget.value))}
    />
  );
}
