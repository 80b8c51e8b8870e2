import type { ReportTab } from 'contract/reports.ts';
import Papa from 'papaparse';
import { type Cells, headingsOf } from './cells.ts';
import type { FileBuilder } from './file-builder.ts';

/** Without it, spreadsheets assume a legacy encoding instead of UTF-8. */
const byteOrderMark = '\uFEFF';
const lineEnd = '\r\n';

/**
 * Matches cells that a spreadsheet would run as a formula. Some ignore leading whitespace and invisible characters.
 * `csv_text` in migration 0009 has the same rule.
 */
const startsFormula = /^(?:[\t\r\n]|[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064]*[=+\-@＝＋－＠])/;

/** Prefixes an apostrophe, which makes a spreadsheet read the cell as text. */
const harmless = (text: string) => (startsFormula.test(text) ? `'${text}` : text);

export function csvHead(tab: ReportTab) {
  return byteOrderMark + Papa.unparse([headingsOf(tab)], { newline: lineEnd }) + lineEnd;
}

/** Returns the CSV lines of the rows. Text is quoted, and text from users is escaped. Figures and dates are not. */
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
