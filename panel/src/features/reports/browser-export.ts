import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { builtInBrowser, type ReportFilter, type ReportTab } from 'contract/reports.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call, Failure } from '#panel/shell/call.ts';
import { toastFailure, toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import { reportOf } from './api.ts';
import { cellsOf, fileName } from './cells.ts';
import type { FileBuilder } from './file-builder.ts';
import { saveFile } from './save.ts';

export type FileType = 'csv' | 'pdf';
export type Wanted = { type: FileType; tab: ReportTab; filter: ReportFilter; total: number };

/** What is being built in this browser now. All rows are there once `done` is `total`; drawing them takes a while more. */
export type Building = { name: string; done: number; total: number; perSecond: number | undefined };

const rowsAPage = 100;

/** Rows that came since the page was read. A file that says it is complete must be. */
class TooManyRows extends Error {
  readonly words = 'There are too many rows by now. Export again: the server will build the file.';
}

/** Builds a file of up to 10,000 rows here, a page of rows at a time, and lets the browser save it. */
export function useBrowserExport() {
  const [building, setBuilding] = useState<Building>();
  const queryClient = useQueryClient();
  const stopping = useRef<AbortController>(undefined);
  const told = useRef<string>(undefined);
  const cancel = useCallback(() => stopping.current?.abort(), []);
  // A failure offers to build the file again: not beside another one, and not once the page is left.
  const takeBack = useCallback(() => told.current && notifications.hide(told.current), []);
  useEffect(
    () => () => {
      cancel();
      takeBack();
    },
    [cancel, takeBack],
  );

  const start = async (wanted: Wanted): Promise<void> => {
    if (stopping.current) return;
    takeBack();
    const { signal } = (stopping.current = new AbortController());
    const name = fileName(wanted.tab, wanted.type);
    setBuilding({ name, done: 0, total: wanted.total, perSecond: undefined });
    try {
      saveFile(await build(wanted, { signal, tell: (pace) => setBuilding({ name, ...pace }) }), name);
      toastSuccess(`${name} is saved`);
    } catch (cause) {
      if (signal.aborted) return;
      const failed = `Failed to build ${name}`;
      if (cause instanceof TooManyRows) {
        void queryClient.invalidateQueries({ queryKey: ['reports'] });
        told.current = toastFailure(failed, { detail: cause.words });
        return;
      }
      const retry = () => void start(wanted);
      told.current = cause instanceof Failure ? reportFailure(failed, cause, retry) : toastFailure(failed, { retry });
    } finally {
      stopping.current = undefined;
      setBuilding(undefined);
    }
  };
  return { building, start: (wanted: Wanted) => void start(wanted), cancel };
}

/** Fetched when a file is first wanted: the page is quicker without them. */
async function builderOf({ type, tab }: Wanted): Promise<FileBuilder> {
  return type === 'csv' ? (await import('./csv.ts')).startCsv(tab) : (await import('./pdf.ts')).startPdf(tab);
}

type Deps = { signal: AbortSignal; tell: (pace: Omit<Building, 'name'>) => void };

async function build(wanted: Wanted, { signal, tell }: Deps) {
  const builder = await builderOf(wanted);
  const started = performance.now();
  let done = 0;
  try {
    for await (const rows of pagesOf(wanted, signal)) {
      builder.add(rows.map(cellsOf));
      done += rows.length;
      const seconds = (performance.now() - started) / 1_000;
      tell({ done, total: Math.max(done, wanted.total), perSecond: done / seconds });
    }
    tell({ done, total: done, perSecond: undefined });
    const file = await orAborted(builder.finish(), signal);
    return file;
  } finally {
    builder.stop();
  }
}

async function* pagesOf({ tab, filter }: Wanted, signal: AbortSignal) {
  let cursor: string | undefined;
  for (let read = 0; read < builtInBrowser; read += rowsAPage) {
    const querystring = { ...filter, cursor, limit: rowsAPage };
    const { rows, nextCursor } = await call(reportOf[tab], { querystring }, signal);
    yield rows;
    if (!nextCursor) return;
    cursor = nextCursor;
  }
  throw new TooManyRows();
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal) {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([work, aborted]);
}
