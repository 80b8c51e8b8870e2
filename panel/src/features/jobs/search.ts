import { z } from 'zod';
import { viewSearch } from '#panel/ui/table/view.ts';

export const rankPromotionSearch = z.object({
  /** The page of users who would move up. */
  cursor: viewSearch.cursor,
});
