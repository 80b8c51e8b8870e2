import type { ReportTab } from 'contract/reports.ts';
import { type Cells, headingsOf } from './cells.ts';
import type { FileBuilder } from './file-builder.ts';
import type { FromPdf, ToPdf } from './pdf-worker.ts';
import { reportTitles } from './words.ts';

/** Laying out thousands of rows takes seconds: it is done beside the page, which stays quick. */
export function startPdf(tab: ReportTab): FileBuilder {
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' });
  const send = (message: ToPdf) => worker.postMessage(message);
  const { promise: file, resolve, reject } = Promise.withResolvers<Blob>();
  // It may fail as soon as it is started, when nobody waits for the file yet.
  file.catch(() => undefined);
  worker.onerror = () => reject(new Error('The PDF could not be drawn.'));
  worker.onmessage = ({ data }: MessageEvent<FromPdf>) => {
    if ('failed' in data) reject(new Error(data.failed));
    else resolve(new Blob([data.file], { type: 'application/pdf' }));
  };
  return {
    add: (rows: Cells[]) => send({ rows }),
    finish: () => {
      send({ title: reportTitles[tab], headings: headingsOf(tab), amounts: tab !== 'task' });
      return file;
    },
    stop: () => worker.terminate(),
  };
}
