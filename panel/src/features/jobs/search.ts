import { z } from 'zod';
import { viewSearch } from '#panel/ui/table/view.ts';

export const rankPromotionSearch = z.object({
  /** The page of those who would move. */
  cursor: viewSearch.cursor,
});
