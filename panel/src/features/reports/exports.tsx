import type { ReportExport } from 'contract/reports.ts';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { Status, type Tone } from '#panel/ui/status.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { isUnfinished, useCancelExport, useDownloadExport, useExports } from './api.ts';
import { Progress } from './progress.tsx';
import { exportTitles, formatFilter, formatSize } from './report-text.ts';

const tones: Record<ReportExport['state'], Tone> = {
  waiting: 'waiting',
  running: 'moving',
  done: 'good',
  failed: 'bad',
  cancelled: 'quiet',
};

const stateText: Record<ReportExport['state'], string> = {
  waiting: 'Waiting',
  running: 'Being built',
  done: 'Ready',
  failed: 'Failed',
  cancelled: 'Canceled',
};

/** The administrator's own exports of the last day, including those still being built. */
export function Exports() {
  const query = useExports();
  useReportedFailure('Failed to fetch your exports', query);
  const { data } = query;
  if (!data || data.exports.length === 0) return null;
  return (
    <section className="card card-padded" aria-labelledby="report-exports-title">
      <h2 id="report-exports-title" className="card-title">
        Exports
      </h2>
      <ul className="report-exports">
        {data.exports.map((one) => (
          <li key={one.id} className="report-export" data-export={one.id}>
            <Export one={one} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Export({ one }: { one: ReportExport }) {
  const { tab, filter, state } = one;
  const title = `${exportTitles[tab]}, ${formatFilter(filter)}`;
  return (
    <>
      <div className="report-export-head">
        <div>
          <p className="report-export-title">{exportTitles[tab]}</p>
          <p className="report-export-filter">{formatFilter(filter)}</p>
        </div>
        <div className="report-export-state">
          <Status tone={tones[state]}>{stateText[state]}</Status>
          <Timestamp at={one.finishedAt ?? one.createdAt} />
        </div>
        {state === 'done' && <Download one={one} title={title} />}
      </div>
      {isUnfinished(one) && <Growing one={one} title={title} />}
      {state === 'done' && (
        <p className="report-export-filter">
          {formatCount(one.rowsDone)} rows, {formatSize(one.bytes)}
          {one.keptUntil && (
            <>
              {' · deleted '}
              <Timestamp at={one.keptUntil} />
            </>
          )}
        </p>
      )}
      {state === 'failed' && (
        <p className="report-export-filter">
          The file could not be built. Nothing was changed: start the export again.
        </p>
      )}
    </>
  );
}

type Part = { one: ReportExport; title: string };

function Growing({ one, title }: Part) {
  const cancelling = useCancelExport();
  const perSecond = useRate(one);
  return (
    <Progress
      label={`Progress of ${title}`}
      pace={{ done: one.rowsDone, total: one.rowsTotal, perSecond }}
      action={
        <Button
          variant="default"
          size="xs"
          aria-label={`Cancel ${title}`}
          loading={cancelling.isPending}
          onClick={() => cancelling.mutate({ params: { id: one.id } })}
        >
          Cancel
        </Button>
      }
    />
  );
}

/** Measures rows per second with the browser's clock, starting when the first rows are reported. */
function useRate({ rowsDone }: ReportExport) {
  const first = useRef<{ rows: number; at: number }>(undefined);
  const [perSecond, setPerSecond] = useState<number>();
  useEffect(() => {
    if (rowsDone === 0) return;
    const now = performance.now();
    // A retried export starts again at zero rows.
    if (!first.current || rowsDone < first.current.rows) first.current = { rows: rowsDone, at: now };
    const { rows, at } = first.current;
    if (rowsDone > rows) setPerSecond(((rowsDone - rows) / (now - at)) * 1_000);
  }, [rowsDone]);
  return perSecond;
}

function Download({ one, title }: Part) {
  const linking = useDownloadExport();
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={`Download ${title}`}
      loading={linking.isPending}
      onClick={() => linking.mutate({ params: { id: one.id } })}
    >
      Download
    </Button>
  );
}
