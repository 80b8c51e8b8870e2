import type { ReportTab } from 'contract/reports.ts';
import { type Cells, headingsOf } from './cells.ts';
import { inOneLine, isPlain } from './drawable.ts';
import type { FileBuilder } from './file-builder.ts';
import type { FromPdf, ToPdf } from './pdf-worker.ts';
import { reportTitles } from './report-text.ts';

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
  const picture = pictureMaker();
  let sent: Promise<void> = Promise.resolve();
  const addRows = async (rows: Cells[]) => send({ rows, pictures: await picture(rows) });
  return {
    add: (rows: Cells[]) => {
      const cells = rows.map((row) => row.map(inOneLine) as Cells);
      // One after the other, so that the rows stay in their order.
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

/** Pictures of the texts that need one, each only once; the code for it is fetched with the first. */
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
