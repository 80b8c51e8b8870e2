import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { percentOfRate } from 'contract/explanation.ts';
import { runKinds } from 'contract/run-kinds.ts';
import type { Run, RunDetail } from 'contract/runs.ts';
import { useState } from 'react';
import { LineAmount } from '#panel/domain/line-amount.tsx';
import { LineOutcome } from '#panel/domain/line-outcome.tsx';
import { WhyAmount } from '#panel/domain/why-amount.tsx';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { type Fact, Facts } from '#panel/ui/facts.tsx';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { type Line, linesOfQuery, runQuery, useReplanUser, whyQuery } from './api.ts';
import { RunDialog } from './run-dialog.tsx';
import { amountName, UserLink } from './line-columns.tsx';
import { formatSettings } from './settings-text.ts';
import { useDisabledReason, disabledReasonForUser, usePermissionDenied } from './disabled-reason.ts';

const route = getRouteApi('/dashboard/runs/$id');
const failed = "Couldn't load the payment";

export function LineView({ id, known }: RowViewProps<Line>) {
  const { id: runId } = route.useParams();
  const detail = useQuery(runQuery(runId)).data;
  const query = useQuery(linesOfQuery(runId, id.slice(0, 36)));
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const line = query.data?.lines.find((one) => one.id === id) ?? known;
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (query.data && !line) return <EmptyState title="Payment not found." line="The link is incomplete." />;
  if (!line || !detail) return <SkeletonLines lines={8} label="Loading the payment" />;
  return <Shown detail={detail} line={line} all={query.data} />;
}

type Props = { detail: RunDetail; line: Line; all: OfUser | undefined };
type OfUser = { lines: readonly Line[]; nextCursor: string | null };

function Shown({ detail, line, all }: Props) {
  const { run, progress, settings, inputs } = detail;
  return (
    <div className="run-line">
      <Facts facts={factsOf(detail, line)} />
      <section aria-labelledby="line-why">
        <h3 id="line-why" className="run-section">
          {run.reverses === null ? 'How it was calculated' : 'What it reverses'}
        </h3>
        {run.reverses === null && progress.receivables.users === 0 ? (
          <WhyAmount
            run={run}
            line={line}
            settings={settings}
            inputs={inputs}
            reversedTransfers={[]}
            receivable={null}
          />
        ) : (
          <WhyRead run={run} line={line} />
        )}
      </section>
      {run.reverses === null && (
        <section aria-labelledby="line-rules">
          <h3 id="line-rules" className="run-section">
            Settings used (version {run.settingsVersion})
          </h3>
          <Facts facts={formatSettings(settings)} />
        </section>
      )}
      <LineActions detail={detail} line={line} all={all} />
    </div>
  );
}

/** The list of lines does not include what each line reverses or settles, so it is read for the open line only. */
function WhyRead({ run, line }: { run: Run; line: Line }) {
  const query = useQuery(whyQuery(run.id, line));
  if (query.isLoadingError) return <LoadError title="Couldn't load the explanation" query={query} />;
  if (!query.data) return <SkeletonLines lines={3} label="Loading the explanation" />;
  return <WhyAmount {...query.data.why} />;
}

function factsOf({ run }: RunDetail, line: Line): Fact[] {
  const { input, paysForStakes } = runKinds[run.kind];
  return [
    { name: 'User', value: <UserLink user={line.user} className="run-link" /> },
    ...(line.stakeId === null ? [] : [{ name: 'Stake ID', value: <ShortId id={line.stakeId} /> }]),
    {
      name: input.title,
      value: <AssetAmount amount={line.input} asset={input.asset} />,
    },
    ...(paysForStakes
      ? [
          { name: 'Daily rate', value: percentOfRate(line.rate) },
          { name: 'Holds a rank', value: line.ranked ? 'Yes' : 'No' },
          ...(run.reverses === null
            ? [{ name: 'Completes', value: line.completes ? 'Yes, the stake is returned' : 'Not yet' }]
            : [{ name: 'Locked again', value: line.completes ? 'Yes, the whole stake' : 'No' }]),
        ]
      : []),
    {
      name: amountName({ reverses: run.reverses, done: line.paid }),
      value: <LineAmount run={run} line={line} />,
    },
    { name: 'Outcome', value: <LineOutcome line={line} run={run} /> },
  ];
}

function LineActions({ detail, line, all }: Props) {
  const [question, setQuestion] = useState<'reverse'>();
  const disabledReason = useDisabledReason();
  const ofUser = all?.lines ?? [line];
  // If the payments do not fit on one page, only the server knows whether any is left to reverse.
  const isComplete = all === undefined || all.nextCursor === null;
  return (
    <div className="run-ways">
      <Link to="/dashboard/ledger" search={{ user: line.user.id }} className="run-link">
        Ledger of {line.user.username}
      </Link>
      <Button
        variant="default"
        disabledReason={disabledReason('reverse', detail) ?? (isComplete ? disabledReasonForUser(ofUser) : undefined)}
        onClick={() => setQuestion('reverse')}
      >
        Reverse for this user
      </Button>
      {line.reversed && <PayAgain run={detail.run} user={line.user.id} />}
      <RunDialog question={question} detail={detail} line={line} onClose={() => setQuestion(undefined)} />
    </div>
  );
}

/** Plans what was reversed for this user as a new run, and opens it for review. */
function PayAgain({ run: { id }, user }: { run: RunDetail['run']; user: string }) {
  const navigate = useNavigate();
  const planning = useReplanUser({
    onDone: (planned) => void navigate({ to: '/dashboard/runs/$id', params: { id: planned } }),
  });
  return (
    <Button
      disabledReason={usePermissionDenied()}
      loading={planning.isPending}
      onClick={() => !planning.isPending && planning.mutate({ params: { id, user } })}
    >
      Pay again
    </Button>
  );
}
