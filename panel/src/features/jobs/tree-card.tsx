import { IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { checkTree, type TreeReport } from 'contract/referrals.ts';
import { Button } from '#panel/ui/button.tsx';
import { Card } from '#panel/ui/card.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatCount, formatTotal } from '#panel/ui/table/view.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { useDisabledReason } from './job-foot.tsx';
import { treeQuery, useChecking } from './tree-api.ts';
import { TreeFindings } from './tree-findings.tsx';
import '#panel/ui/progress-bar.css';
import './tree.css';

const failed = 'The last report could not be loaded.';

/** Shows whether the referral tree and its counters are consistent. */
export function TreeCard() {
  const query = useQuery(treeQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data, error } = query;
  return (
    <Card title="Tree">
      {data ? (
        <Known newest={data.newest} finished={data.finished} />
      ) : error ? (
        <LoadError title={failed} query={query} />
      ) : (
        <SkeletonLines lines={6} label="Loading the last report" />
      )}
    </Card>
  );
}

type Reports = { newest: TreeReport | null; finished: TreeReport | null };

const isUnderWay = (report: TreeReport | null) => report?.state === 'waiting' || report?.state === 'running';

function Known({ newest, finished }: Reports) {
  return (
    <div className="tree-check">
      <div className="tree-check-head">
        <p className="tree-check-now">{finished ? <Last report={finished} /> : 'Never checked.'}</p>
        <CheckButton newest={newest} />
      </div>
      {newest && isUnderWay(newest) && <Progress report={newest} />}
      {newest?.state === 'failed' && (
        <Notice tone="bad">The last check failed, and nothing was changed: {newest.why}</Notice>
      )}
      {finished && newest && <Result report={finished} newest={newest} />}
      {!newest && (
        <p className="jobs-hint">
          A check finds loops, self-referrals, missing sponsors, shared wallets and counter mismatches. It changes
          nothing.
        </p>
      )}
    </div>
  );
}

const users = { one: 'user', many: 'users' };

function Last({ report: { at, requestedBy, users: count } }: { report: TreeReport }) {
  return (
    <>
      {formatTotal({ count, capped: false }, users)} checked {at && <Timestamp at={at} />} by {requestedBy}
    </>
  );
}

function CheckButton({ newest }: Pick<Reports, 'newest'>) {
  const denied = useDisabledReason();
  const checking = useChecking();
  const { CheckUnderWay, RepairUnderWay } = checkTree.refusals[409];
  const busy = isUnderWay(newest) ? CheckUnderWay : newest?.repair?.state === 'repairing' ? RepairUnderWay : undefined;
  return (
    <Button
      variant="default"
      loading={checking.isPending}
      disabledReason={denied ?? busy}
      onClick={() => !checking.isPending && checking.mutate({})}
    >
      Check the tree
    </Button>
  );
}

function Progress({ report: { state, progress } }: { report: TreeReport }) {
  return (
    <div className="tree-progress">
      <progress
        className="progress-bar tree-bar"
        aria-label="How far the check is"
        {...(state === 'running' && { value: progress, max: 100 })}
      />
      <p className="tree-quiet">
        {state === 'waiting' ? 'Waiting for a worker.' : `${progress}% checked. Nothing is changed.`}
      </p>
    </div>
  );
}

function Result({ report, newest }: { report: TreeReport; newest: TreeReport }) {
  const found = Object.values(report.found).reduce((sum, count) => sum + count, report.wrong.users);
  if (found > 0) return <TreeFindings report={report} newest={newest} />;
  return (
    <EmptyState
      icon={<IconCircleCheck size={22} stroke={1.5} />}
      title="Nothing found."
      line={`${formatCount(report.users)} users checked. No loops, missing sponsors, shared wallets or counter mismatches.`}
    />
  );
}
