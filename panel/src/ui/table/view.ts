import type { SortingState } from '@tanstack/react-table';
import { pageQuery } from 'contract/core/paging.ts';
import { z } from 'zod';
import { groupThousands } from '../formats.ts';

/**
 * Reads one value of the address. The router takes ?search=12345 for a number where text is meant, and what a hand
 * has mistyped counts as absent.
 */
export const inAddress = <S extends z.ZodType>(schema: S) =>
  z
    .preprocess((given) => (typeof given === 'number' ? String(given) : given), schema)
    .optional()
    .catch(undefined);

/**
 * One of the contract's words, written out: what routes read is loaded before every page, and a feature's whole contract
 * is too much for that. The type holds it to all of the words and no others.
 */
export const oneOf = <Word extends string>(words: Record<Word, unknown>) =>
  inAddress(z.enum(Object.keys(words) as [Word, ...Word[]]));

/** What every list keeps in its address, so that a link shows the same view; a feature adds its sort and filters. */
export const viewSearch = {
  cursor: inAddress(pageQuery.cursor.unwrap().min(1)),
  search: inAddress(z.string().trim().min(1).max(100)),
  /** The shown columns by id, joined by commas; absent means those that fit. */
  columns: inAddress(z.string().min(1).max(400)),
  density: inAddress(z.enum(['comfortable', 'compact'])),
};

export type TableView = {
  cursor?: string | undefined;
  sort?: string | undefined;
  search?: string | undefined;
  columns?: string | undefined;
  density?: 'comfortable' | 'compact' | undefined;
};

/** A change of the address; a key that is undefined leaves it. */
type ViewChange = Record<string, string | undefined>;

export type ChangeView = (change: ViewChange, how?: { replace: boolean }) => void;

/** `-createdAt` is newest first. */
export function readSort(sort: string | undefined): SortingState {
  if (!sort) return [];
  return sort.startsWith('-') ? [{ id: sort.slice(1), desc: true }] : [{ id: sort, desc: false }];
}

export function writeSort([first]: SortingState) {
  return first && `${first.desc ? '-' : ''}${first.id}`;
}

export function readColumns(columns: string | undefined) {
  return columns === undefined ? undefined : new Set(columns.split(','));
}

export type Total = { count: number; capped: boolean };

export type Noun = { one: string; many: string };

export const formatCount = (count: number) => groupThousands(String(count));

/** "1,204", or "10,000+" where counting stopped. */
export const formatFigure = ({ count, capped }: Total) => `${formatCount(count)}${capped ? '+' : ''}`;

/** "1,204 tickets", or "10,000+ tickets". */
export function formatTotal(total: Total, { one, many }: Noun) {
  return `${formatFigure(total)} ${total.count === 1 && !total.capped ? one : many}`;
}
