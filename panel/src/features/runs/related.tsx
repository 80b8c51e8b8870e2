import { Link } from '@tanstack/react-router';
import type { RunDetail } from 'contract/runs.ts';
import { coverFacts } from '#panel/domain/cover-facts.tsx';
import { plannedUnits } from '#panel/domain/run-outcome.tsx';
import { Trail } from '#panel/domain/trail.tsx';
import { formatRun } from '#panel/domain/run-text.ts';
import { Amount } from '#panel/ui/amount.tsx';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { Card } from '#panel/ui/card.tsx';
import { type Fact, Facts } from '#panel/ui/facts.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { PeriodCard } from './period.tsx';
import { formatInputs, formatSettings } from './settings-text.ts';

type Props = { detail: RunDetail };

/** The treasury while the run is open, the timeline of the run, the settings it used, and related runs. */
export function RunRelated({ detail }: Props) {
  const { run, settings, inputs } = detail;
  const rules = [...formatSettings(settings), ...formatInputs(inputs), ...collection(detail)];
  const cover = coverFacts(detail);
  return (
    <div className="run-side">
      <PeriodCard detail={detail} />
      {cover.length > 0 && (
        <Card title="Treasury coverage">
          <Facts facts={cover} />
        </Card>
      )}
      <Card title="Timeline">
        <Facts facts={[...happened(detail), ...linked(detail)]} />
        {run.planHash !== null && <Fingerprint hash={run.planHash} />}
      </Card>
      {run.reverses === null && (
        <Card title="Rules">
          <Facts facts={[{ name: 'Settings', value: `Version ${run.settingsVersion}` }, ...rules]} />
        </Card>
      )}
      <Trail feature="runs" subject={run.id} />
    </div>
  );
}

/** What the run takes of its payments from users who owe something. */
const collection = ({ run, collects }: RunDetail): Fact[] =>
  /[1-9]/.test(collects)
    ? [{ name: 'Maximum collected per user', value: <AssetAmount amount={collects} asset={run.asset} /> }]
    : [];

const at = (timestamp: Date | null, by?: string | null) =>
  timestamp && (
    <>
      {by !== undefined && `${by ?? 'The schedule'}, `}
      <Timestamp at={timestamp} />
    </>
  );

function happened({ run }: RunDetail): Fact[] {
  return [
    { name: 'Planned', value: at(run.plannedAt ?? run.createdAt, run.plannedBy) },
    ...(run.startedAt ? [{ name: 'Started', value: at(run.startedAt, run.startedBy) }] : []),
    ...(run.approvedBy === null ? [] : [{ name: 'Approved by', value: run.approvedBy }]),
    ...(run.endedAt ? [{ name: 'Finished', value: at(run.endedAt) }] : []),
  ];
}

function linked(detail: RunDetail): Fact[] {
  const { run, approval, reversedBy, before } = detail;
  return [
    ...(approval === null
      ? []
      : [
          {
            name: 'Second approver',
            value: (
              <Link to="/dashboard/approvals" search={{ approval }} className="run-link">
                View request
              </Link>
            ),
          },
        ]),
    ...(run.reverses === null
      ? []
      : [{ name: 'Reverses', value: <OtherRun id={run.reverses}>{formatRun({ ...run, reverses: null })}</OtherRun> }]),
    ...(reversedBy === null
      ? []
      : [
          {
            name: 'Reversed by',
            value: <OtherRun id={reversedBy}>{formatRun({ ...run, reverses: run.id })}</OtherRun>,
          },
        ]),
    ...(before === null || run.planHash === null || run.reverses !== null
      ? []
      : [{ name: 'Compared with the previous run', value: <Difference detail={detail} before={before} /> }]),
  ];
}

/** The hash of the plan. An approval covers exactly this value. */
function Fingerprint({ hash }: { hash: string }) {
  return (
    <div className="run-fingerprint">
      <div className="run-fingerprint-value">
        <span className="fact-name">Plan fingerprint</span>
        <ShortId id={hash} />
      </div>
      <p className="run-hint">
        Proves that what is paid is exactly what was planned and approved: if any payment or setting were changed, the
        fingerprint would no longer match and the run would stop.
      </p>
    </div>
  );
}

function OtherRun({ id, children }: { id: string; children: string }) {
  return (
    <Link to="/dashboard/runs/$id" params={{ id }} className="run-link">
      {children}
    </Link>
  );
}

const signed = (figure: number) => `${figure < 0 ? '−' : '+'}${formatCount(Math.abs(figure))}`;

function Difference({ detail: { run }, before }: Props & { before: NonNullable<RunDetail['before']> }) {
  const more = plannedUnits(run) - plannedUnits({ ...before, asset: run.asset });
  const payments = run.lines - run.skipped - before.lines;
  return (
    <span className="run-difference">
      <span>
        {signed(payments)} {Math.abs(payments) === 1 ? 'payment' : 'payments'},{' '}
        <span className="amount">
          {more >= 0n && '+'}
          <Amount units={more} asset={run.asset} />
        </span>
      </span>
      <OtherRun id={before.id}>{formatRun({ ...run, period: before.period })}</OtherRun>
    </span>
  );
}
