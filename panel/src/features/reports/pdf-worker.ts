import { jsPDF } from 'jspdf';
import autoTable, { type CellDef } from 'jspdf-autotable';
import type { Cells } from './cells.ts';
import { cellPadding, fontSize, ink, userWidth } from './pdf-style.ts';
import type { TextPicture } from './text-pictures.ts';

/** Rows arrive as they are fetched, with pictures of texts where needed. The last message requests the file. */
export type ToPdf = { rows: Cells[]; pictures: TextPicture[] } | { title: string; headings: Cells; amounts: boolean };
export type FromPdf = { file: ArrayBuffer } | { failed: string };

const rows: Cells[] = [];
const pictures = new Map<string, TextPicture>();

self.onmessage = ({ data }: MessageEvent<ToPdf>) => {
  if ('rows' in data) {
    rows.push(...data.rows);
    for (const picture of data.pictures) pictures.set(picture.text, picture);
    return;
  }
  try {
    const file = build(data);
    self.postMessage({ file } satisfies FromPdf, { transfer: [file] });
  } catch (cause) {
    self.postMessage({ failed: String(cause) } satisfies FromPdf);
  }
};

const margin = 40;
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
    body: rows.map((cells) => cells.map(cellOf)),
    startY: margin + 24,
    margin,
    theme: 'plain',
    styles: { font: 'helvetica', fontSize, cellPadding, textColor: ink, overflow: 'linebreak' },
    headStyles: { fontStyle: 'bold', lineWidth: { bottom: 0.75 }, lineColor: quiet },
    columnStyles: {
      0: { cellWidth: userWidth },
      1: amounts ? { halign: 'right', cellWidth: 120 } : {},
      2: { cellWidth: 80 },
      3: { cellWidth: 80 },
    },
    // The heading of amounts is right-aligned like its column.
    didParseCell: ({ section, column, cell }) => {
      if (section === 'head' && column.index === 1 && amounts) cell.styles.halign = 'right';
    },
    didDrawCell: ({ cell }) => {
      if (isPictured(cell.raw)) drawPicture(doc, cell.raw.picture, cell);
    },
  });
  numberPages(doc);
  return doc.output('arraybuffer');
}

/** Moves a picture up to the baseline of the table's own texts, because its lines are taller. */
const lift = 2;

type Pictured = CellDef & { picture: TextPicture };

const isPictured = (raw: unknown): raw is Pictured => typeof raw === 'object' && raw !== null && 'picture' in raw;

/** The table only reserves space for a picture, which is drawn later. */
function cellOf(text: string): string | Pictured {
  const picture = pictures.get(text);
  return picture ? { picture, content: '', styles: { minCellHeight: picture.height + 2 * cellPadding - lift } } : text;
}

/** Adds the text as ActualText, so that PDF readers can search, copy and read it aloud. */
function drawPicture(doc: jsPDF, { text, width, height, jpeg }: TextPicture, cell: { x: number; y: number }) {
  const left = cell.x + cellPadding;
  const top = cell.y + cellPadding - lift;
  const { write } = doc.internal as unknown as { write: (operators: string) => void };
  write(`/Span <</ActualText <FEFF${inUtf16(text)}>>> BDC`);
  doc.addImage(jpeg, 'JPEG', left, top, width, height, text);
  // ActualText replaces glyphs, and a picture has none, so an invisible one is added.
  doc.setFont('helvetica', 'normal').setFontSize(fontSize);
  doc.text('?', left, top + fontSize, { renderingMode: 'invisible' });
  write('EMC');
}

const inUtf16 = (text: string) =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0')).join('');

function numberPages(doc: jsPDF) {
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
}
