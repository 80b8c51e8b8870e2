import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import type { Waiting } from 'contract/approvals.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import type { ReactNode } from 'react';
import type { Failure } from '#panel/shell/call.ts';
import { Trail } from '#panel/domain/trail.tsx';
import { WaitingChange } from '#panel/domain/waiting-change.tsx';
import { Card } from '#panel/ui/card.tsx';
import { formatDay } from '#panel/ui/time-text.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import '#panel/ui/form.css';
import './jobs.css';

const failed = 'The settings could not be loaded.';

type Version = {
  version: number;
  savedBy: string | null;
  approvedBy: string | null;
  savedAt: Date;
  effectiveFrom: Date;
  waiting: Waiting | null;
};

type Props<Stored> = {
  job: RunKind;
  title: string;
  query: UseQueryOptions<Stored, Failure>;
  children: (stored: Stored) => ReactNode;
};

/** The page of a job: its settings version, who saved it, and its form. */
export function JobPage<Stored extends Version>({ job, title, query: options, children }: Props<Stored>) {
  const query = useQuery(options);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data, error } = query;
  return (
    <PageFrame title={title} now={data ? <VersionLine {...data} /> : ''}>
      {data ? (
        <>
          <WaitingChange waiting={data.waiting} />
          {children(data)}
          <Trail feature="jobs" subject={job} />
        </>
      ) : (
        <Card>
          {error ? (
            <LoadError title={failed} query={query} />
          ) : (
            <SkeletonLines lines={6} label="Loading the settings" />
          )}
        </Card>
      )}
    </PageFrame>
  );
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

export function VersionLine({ version, savedBy, approvedBy, savedAt, effectiveFrom }: Version) {
  if (savedBy === null) return `Version ${version} (default)`;
  return (
    <>
      Version {version}, saved by {savedBy}
      {approvedBy !== null && ` and approved by ${approvedBy}`} <Timestamp at={savedAt} />
      {effectiveFrom.getTime() > 0 &&
        dayOf(effectiveFrom) !== dayOf(savedAt) &&
        `, applies from ${formatDay(dayOf(effectiveFrom))}`}
    </>
  );
}
