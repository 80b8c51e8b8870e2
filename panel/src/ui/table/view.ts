import type { SortingState } from '@tanstack/react-table';
import { pageQuery } from 'contract/core/paging.ts';
import { z } from 'zod';
import { groupThousands } from '../formats.ts';

/**
 * Reads one URL parameter. The router parses ?search=12345 as a number where a string is expected. An invalid value
 * counts as absent.
 */
export const inAddress = <S extends z.ZodType>(schema: S) =>
  z
    .preprocess((given) => (typeof given === 'number' ? String(given) : given), schema)
    .optional()
    .catch(undefined);

/**
 * Reads one value of an enum of the contract. The caller lists the values, because code that routes use is loaded
 * before every page and a feature's whole contract is too large. The type requires all of the values and no others.
 */
export const oneOf = <Word extends string>(values: Record<Word, unknown>) =>
  inAddress(z.enum(Object.keys(values) as [Word, ...Word[]]));

/** The URL parameters of every list, so that a link shows the same view; a feature adds its sort and filters. */
export const viewSearch = {
  cursor: inAddress(pageQuery.cursor.unwrap().min(1)),
  search: inAddress(z.string().trim().min(1).max(100)),
  /** The ids of the shown columns, joined by commas; absent means those that fit. */
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

/** A change of the URL; a key that is undefined is removed from it. */
type ViewChange = Record<string, string | undefined>;

export type ChangeView = (change: ViewChange, how?: { replace: boolean }) => void;

/** Parses a sort parameter: `-createdAt` sorts newest first. */
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
