import { Link } from '@tanstack/react-router';
import type { RunDetail } from 'contract/runs.ts';
import { sayPeriod } from '#panel/shell/run-words.ts';
import { Amount } from '#panel/ui/amount.tsx';
import { Card } from '#panel/ui/card.tsx';
import { type Fact, Facts } from '#panel/ui/facts.tsx';
import { Moment } from '#panel/ui/moment.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { sayCount } from '#panel/ui/table/view.ts';
import { sumOf } from './amounts.ts';
import { sayInputs, saySettings } from './settings-words.ts';

type Props = { detail: RunDetail };

/** Who did what and when, by which rules, and what it hangs together with. */
export function RunAround({ detail }: Props) {
  const { run, settings, inputs } = detail;
  const rules = [...saySettings(settings), ...sayInputs(inputs)];
  return (
    <div className="run-side">
      <Card title="Who and when">
        <Facts facts={[...happened(detail), ...linked(detail)]} />
      </Card>
      {run.reverses === null && (
        <Card title="Rules">
          <Facts facts={[{ name: 'Settings', value: `Version ${run.settingsVersion}` }, ...rules]} />
        </Card>
      )}
    </div>
  );
}

const at = (moment: Date | null, by?: string | null) =>
  moment && (
    <>
      {by !== undefined && `${by ?? 'The schedule'}, `}
      <Moment at={moment} />
    </>
  );

function happened({ run }: RunDetail): Fact[] {
  return [
    { name: 'Planned', value: at(run.plannedAt ?? run.createdAt, run.plannedBy) },
    ...(run.begunAt ? [{ name: 'Begun', value: at(run.begunAt, run.begunBy) }] : []),
    ...(run.approvedBy === null ? [] : [{ name: 'Approved by', value: run.approvedBy }]),
    ...(run.endedAt ? [{ name: 'Ended', value: at(run.endedAt) }] : []),
    ...(run.planHash === null ? [] : [{ name: 'Plan', value: <ShortId id={run.planHash} /> }]),
  ];
}

function linked(detail: RunDetail): Fact[] {
  const { run, approval, reversedBy, before } = detail;
  return [
    ...(approval === null
      ? []
      : [
          {
            name: 'Second person',
            value: (
              <Link to="/dashboard/approvals" search={{ approval }} className="run-link">
                The request
              </Link>
            ),
          },
        ]),
    ...(run.reverses === null ? [] : [{ name: 'Takes back', value: <OtherRun id={run.reverses}>The run</OtherRun> }]),
    ...(reversedBy === null
      ? []
      : [{ name: 'Taken back by', value: <OtherRun id={reversedBy}>The reversal</OtherRun> }]),
    ...(before === null || run.planHash === null || run.reverses !== null
      ? []
      : [{ name: 'Plan against the run before', value: <Difference detail={detail} before={before} /> }]),
  ];
}

function OtherRun({ id, children }: { id: string; children: string }) {
  return (
    <Link to="/dashboard/runs/$id" params={{ id }} className="run-link">
      {children}
    </Link>
  );
}

const signed = (figure: number) => `${figure < 0 ? '−' : '+'}${sayCount(Math.abs(figure))}`;

function Difference({ detail: { run }, before }: Props & { before: NonNullable<RunDetail['before']> }) {
  const more = sumOf([run.pays], run.asset) - sumOf([before.pays], run.asset);
  return (
    <span className="run-difference">
      <span>
        {signed(run.lines - run.skipped - before.lines)} lines, {more < 0n ? '−' : '+'}
        <Amount units={more < 0n ? -more : more} asset={run.asset} />
      </span>
      <OtherRun id={before.id}>{sayPeriod({ kind: run.kind, period: before.period })}</OtherRun>
    </span>
  );
}
