import type { ReportTab } from 'contract/reports.ts';
import { type Cells, headingsOf } from './cells.ts';
import { inOneLine, isPlain } from './drawable.ts';
import type { FileBuilder } from './file-builder.ts';
import type { FromPdf, ToPdf } from './pdf-worker.ts';
import { reportTitles } from './report-text.ts';

/** Builds the PDF in a worker, because laying out thousands of rows would block the page for seconds. */
export function startPdf(tab: ReportTab): FileBuilder {
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' });
  const send = (message: ToPdf) => worker.postMessage(message);
  const { promise: file, resolve, reject } = Promise.withResolvers<Blob>();
  // The worker may fail before `finish` awaits the file, which must not be an unhandled rejection.
  file.catch(() => undefined);
  worker.onerror = () => reject(new Error('The PDF could not be drawn.'));
  worker.onmessage = ({ data }: MessageEvent<FromPdf>) => {
    if ('failed' in data) reject(new Error(data.failed));
    else resolve(new Blob([data.file], { type: 'application/pdf' }));
  };
  const picture = pictureMaker();
  let sent: Promise<void> = Promise.resolve();
  const addRows = async (rows: Cells[]) => send({ rows, pictures: await picture(rows) });
  return {
    add: (rows: Cells[]) => {
      const cells = rows.map((row) => row.map(inOneLine) as Cells);
      // Sequential, so that the rows keep their order.
      sent = sent.then(() => addRows(cells));
      sent.catch(reject);
    },
    finish: async () => {
      await sent;
      send({ title: reportTitles[tab], headings: headingsOf(tab), amounts: tab !== 'task' });
      return file;
    },
    stop: () => worker.terminate(),
  };
}

/** Draws each text that needs a picture once. The code for drawing is loaded with the first one. */
function pictureMaker() {
  const made = new Set<string>();
  return async (rows: Cells[]) => {
    const texts = new Set(rows.flat().filter((text) => !isPlain(text) && !made.has(text)));
    if (texts.size === 0) return [];
    for (const text of texts) made.add(text);
    const { drawTexts } = await import('./text-pictures.ts');
    return drawTexts([...texts]);
  };
}
