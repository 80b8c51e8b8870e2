import { z } from 'zod';

/** The ranks that can be given, lowest first; below them stands `none`. */
export type Rank = z.output<typeof Rank>;
export const Rank = z.enum(['Silver', 'Gold', 'Platinum']);
export const RankOrNone = z.enum(['none', ...Rank.options]);
