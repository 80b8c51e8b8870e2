import type { AloneLimit, Asset } from 'contract/core/money.ts';
import { formatMoney } from '#panel/ui/amount.tsx';

/** "You can move $1,000.00 a day on your own and have moved $900.00 today." */
export const formatAloneLimit = ({ limit, usedToday }: AloneLimit, asset: Asset) =>
  `You can move ${formatMoney({ units: limit, asset })} a day on your own and have moved ${formatMoney({ units: usedToday, asset })} today.`;
