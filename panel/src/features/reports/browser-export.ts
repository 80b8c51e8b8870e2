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
export type ExportRequest = { type: FileType; tab: ReportTab; filter: ReportFilter; total: number };

/** The export that this browser is building. `done === total` means that all rows are fetched, not yet drawn. */
export type Building = { name: string; done: number; total: number; perSecond: number | undefined };

const rowsAPage = 100;

/** New rows exceed the limit since the total was read. An incomplete file must not be saved. */
class TooManyRows extends Error {
  override readonly message = 'There are too many rows by now. Export again: the server will build the file.';
}

/** Builds a file of up to 10,000 rows in the browser, page by page, and saves it. */
export function useBrowserExport() {
  const [building, setBuilding] = useState<Building>();
  const queryClient = useQueryClient();
  const stopping = useRef<AbortController>(undefined);
  const toastId = useRef<string>(undefined);
  const cancel = useCallback(() => stopping.current?.abort(), []);
  // The error toast offers a retry, so it is hidden when another export starts and when the page is left.
  const hideToast = useCallback(() => toastId.current && notifications.hide(toastId.current), []);
  useEffect(
    () => () => {
      cancel();
      hideToast();
    },
    [cancel, hideToast],
  );

  const start = async (request: ExportRequest): Promise<void> => {
    if (stopping.current) return;
    hideToast();
    const { signal } = (stopping.current = new AbortController());
    const name = fileName(request.tab, request.type);
    setBuilding({ name, done: 0, total: request.total, perSecond: undefined });
    try {
      saveFile(await build(request, { signal, onProgress: (pace) => setBuilding({ name, ...pace }) }), name);
      toastSuccess(`${name} is saved`);
    } catch (cause) {
      if (signal.aborted) return;
      const failed = `Failed to build ${name}`;
      if (cause instanceof TooManyRows) {
        void queryClient.invalidateQueries({ queryKey: ['reports'] });
        toastId.current = toastFailure(failed, { detail: cause.message });
        return;
      }
      const retry = () => void start(request);
      toastId.current =
        cause instanceof Failure ? reportFailure(failed, cause, retry) : toastFailure(failed, { retry });
    } finally {
      stopping.current = undefined;
      setBuilding(undefined);
    }
  };
  return { building, start: (request: ExportRequest) => void start(request), cancel };
}

/** Loads the builders on first use, so that the page loads faster. */
async function builderOf({ type, tab }: ExportRequest): Promise<FileBuilder> {
  return type === 'csv' ? (await import('./csv.ts')).startCsv(tab) : (await import('./pdf.ts')).startPdf(tab);
}

type Deps = { signal: AbortSignal; onProgress: (pace: Omit<Building, 'name'>) => void };

async function build(request: ExportRequest, { signal, onProgress }: Deps) {
  const builder = await builderOf(request);
  const started = performance.now();
  let done = 0;
  try {
    for await (const rows of pagesOf(request, signal)) {
      builder.add(rows.map(cellsOf));
      done += rows.length;
      const seconds = (performance.now() - started) / 1_000;
      onProgress({ done, total: Math.max(done, request.total), perSecond: done / seconds });
    }
    onProgress({ done, total: done, perSecond: undefined });
    const file = await orAborted(builder.finish(), signal);
    return file;
  } finally {
    builder.stop();
  }
}

async function* pagesOf({ tab, filter }: ExportRequest, signal: AbortSignal) {
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
