import { readAmount } from './core/money.ts';

/** The longest list, in characters. It fits into the body of a request, which has at most 64 KB. */
export const longestList = 60_000;

export type ListedPayment = { reference: string; amount: bigint; wallet: string; time: Date };

export type ListProblem = {
  /** The number of the line, counted from 1. */
  line: number;
  problem: 'columns' | 'reference' | 'repeated' | 'amount' | 'wallet' | 'time';
};

export type ParsedList = { payments: ListedPayment[]; problems: ListProblem[] };

const columns = ['reference', 'amount', 'wallet', 'time'] as const;

/**
 * Reads a CSV list of payments with the columns reference, amount, wallet and time (ISO 8601), in any order, by the
 * names in the first line. The panel shows the problems; the server refuses a list that has any, or no payments.
 */
export function parseList(text: string): ParsedList {
  const [header, ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const names = cellsOf(header ?? '').map((name) => name.toLowerCase());
  const places = columns.map((column) => names.indexOf(column));
  if (places.includes(-1)) return { payments: [], problems: [{ line: 1, problem: 'columns' }] };
  const parsed: ParsedList = { payments: [], problems: [] };
  const seen = new Set<string>();
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '') continue;
    const cells = cellsOf(text);
    const [reference = '', amount = '', wallet = '', time = ''] = places.map((place) => cells[place] ?? '');
    const payment = readPayment({ reference, amount, wallet, time });
    const problem = typeof payment === 'string' ? payment : seen.has(reference) ? ('repeated' as const) : undefined;
    if (problem !== undefined) parsed.problems.push({ line: index + 2, problem });
    else if (typeof payment !== 'string') parsed.payments.push(payment);
    seen.add(reference);
  }
  return parsed;
}

function readPayment(
  cells: Record<(typeof columns)[number], string>,
): ListedPayment | 'reference' | 'amount' | 'wallet' | 'time' {
  const { reference, wallet } = cells;
  if (reference === '' || reference.length > 200) return 'reference';
  const amount = readAmount(cells.amount, 'USD');
  if (amount === undefined || amount <= 0n) return 'amount';
  if (wallet === '' || wallet.length > 200) return 'wallet';
  const time = new Date(/^\d{4}-\d\d-\d\d/.test(cells.time) ? cells.time : Number.NaN);
  return Number.isNaN(time.getTime()) ? 'time' : { reference, amount, wallet, time };
}

/** Splits a line at its commas. A cell in quotes may contain commas, and doubled quotes. */
function cellsOf(line: string) {
  const cells = line.match(/(?:^|,)(?:\s*"(?:[^"]|"")*"\s*|[^,]*)/g) ?? [];
  return cells.map((cell) => {
    const text = cell.replace(/^,/, '').trim();
    return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"').trim() : text;
  });
}
