import type { ReportTab } from 'contract/reports.ts';
import Papa from 'papaparse';
import { type Cells, headingsOf } from './cells.ts';
import type { FileBuilder } from './file-builder.ts';

/** Spreadsheets take a file without it for one in their own old encoding. */
const byteOrderMark = '\uFEFF';
const lineEnd = '\r\n';

/**
 * Spreadsheets take a cell for a formula by how it starts, and some pass over blanks and invisible characters first.
 * csv_text of migration 0009 has the same rule.
 */
const startsFormula = /^(?:[\t\r\n]|[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064]*[=+\-@＝＋－＠])/;

/** An apostrophe in front makes it text. */
const harmless = (text: string) => (startsFormula.test(text) ? `'${text}` : text);

export function csvHead(tab: ReportTab) {
  return byteOrderMark + Papa.unparse([headingsOf(tab)], { newline: lineEnd }) + lineEnd;
}

/** The lines of some rows. Figures and dates are ours and stay bare; what anyone could have written is quoted. */
export function csvLines(tab: ReportTab, rows: readonly Cells[]) {
  if (rows.length === 0) return '';
  const isText = tab === 'task';
  const cells = rows.map(([user, value, date, status]) => [
    harmless(user),
    isText ? harmless(value) : value,
    date,
    status,
  ]);
  return Papa.unparse(cells, { quotes: [true, isText, false, true], newline: lineEnd }) + lineEnd;
}

export function startCsv(tab: ReportTab): FileBuilder {
  const parts = [csvHead(tab)];
  return {
    add: (rows) => void parts.push(csvLines(tab, rows)),
    finish: () => Promise.resolve(new Blob(parts, { type: 'text/csv;charset=utf-8' })),
    stop: () => undefined,
  };
}
