import { useQuery } from '@tanstack/react-query';
import { type Balance, TreasuryAsset } from 'contract/ledger.ts';
import { parseAmount } from 'contract/core/money.ts';
import { AdjustButton } from '#panel/domain/adjust.tsx';
import { formatAmount } from '#panel/ui/amount.tsx';
import { balancesQuery } from './api.ts';

/** Funds the treasury, which pays the rewards. Nothing else adds money to it. */
export function AdjustTreasury() {
  const { data } = useQuery(balancesQuery);
  return (
    <AdjustButton
      label="Fund treasury"
      title="Fund Treasury"
      adjusted={{ user: null, name: 'The treasury', has: formatHeld(data?.balances), assets: TreasuryAsset.options }}
    />
  );
}

function formatHeld(balances: readonly Balance[] | undefined) {
  const held = (balances ?? []).filter(({ account }) => account === 'treasury');
  const amounts = TreasuryAsset.options.map((asset) => {
    const amount = held.find((balance) => balance.asset === asset)?.amount ?? '0';
    return `${formatAmount(parseAmount(amount, asset), asset)}${asset === 'USD' ? '' : ` ${asset}`}`;
  });
  return balances ? `It has ${amounts.join(' and ')}. Rewards are paid from it.` : 'Rewards are paid from it.';
}
