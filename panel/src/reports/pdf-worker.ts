import { jsPDF } from 'jspdf';
import autoTable from 'jspdf-autotable';
import type { Cells } from './cells.ts';
import { drawable } from './drawable.ts';

/** Rows arrive as they are fetched; the last message asks for the file. */
export type ToPdf = { rows: Cells[] } | { title: string; headings: Cells; amounts: boolean };
export type FromPdf = { file: ArrayBuffer } | { failed: string };

const rows: Cells[] = [];
let replaced = false;

self.onmessage = ({ data }: MessageEvent<ToPdf>) => {
  if ('rows' in data) {
    for (const cells of data.rows) rows.push(draw(cells));
    return;
  }
  try {
    const file = build(data);
    self.postMessage({ file } satisfies FromPdf, { transfer: [file] });
  } catch (cause) {
    self.postMessage({ failed: String(cause) } satisfies FromPdf);
  }
};

function draw(cells: Cells): Cells {
  const drawn = cells.map(drawable) as Cells;
  replaced ||= drawn.some((text, at) => text !== cells[at]);
  return drawn;
}

const margin = 40;
const ink: [number, number, number] = [29, 32, 28];
const quiet: [number, number, number] = [89, 92, 84];

function build({ title, headings, amounts }: Extract<ToPdf, { title: string }>) {
  const doc = new jsPDF({ unit: 'pt', format: 'a4', compress: true });
  doc.setProperties({ title, creator: 'Bursar' });
  doc
    .setFont('helvetica', 'bold')
    .setFontSize(16)
    .setTextColor(...ink);
  doc.text(title, margin, margin + 8);
  autoTable(doc, {
    head: [headings],
    body: rows,
    startY: margin + 24,
    margin,
    theme: 'plain',
    styles: { font: 'helvetica', fontSize: 9, cellPadding: 4, textColor: ink, overflow: 'linebreak' },
    headStyles: { fontStyle: 'bold', lineWidth: { bottom: 0.75 }, lineColor: quiet },
    columnStyles: {
      0: { cellWidth: 150 },
      1: amounts ? { halign: 'right', cellWidth: 120 } : {},
      2: { cellWidth: 80 },
      3: { cellWidth: 80 },
    },
    // A heading stands over its column, on the side where the figures are.
    didParseCell: ({ section, column, cell }) => {
      if (section === 'head' && column.index === 1 && amounts) cell.styles.halign = 'right';
    },
  });
  addFoot(doc);
  return doc.output('arraybuffer');
}

/** Every page says which it is, and the last what could not be drawn. */
function addFoot(doc: jsPDF) {
  const pages = doc.getNumberOfPages();
  const { width, height } = doc.internal.pageSize;
  doc
    .setFont('helvetica', 'normal')
    .setFontSize(8)
    .setTextColor(...quiet);
  for (let page = 1; page <= pages; page += 1) {
    doc.setPage(page);
    doc.text(`${page} / ${pages}`, width - margin, height - 20, { align: 'right' });
  }
  if (replaced)
    doc.text('Letters that this font lacks are shown as "?". The CSV file has them all.', margin, height - 20);
}
