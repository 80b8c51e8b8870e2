import { type AloneLimit, type Asset, isAboveLimit, parseAmount } from 'contract/core/money.ts';
import { movedBy, type Run, type RunDetail } from 'contract/runs.ts';
import { formatMoney } from '#panel/ui/amount.tsx';

export const sumOf = (amounts: readonly string[], asset: Asset) =>
  amounts.reduce((sum, amount) => sum + parseAmount(amount, asset), 0n);

/** Whether starting the run needs a second approver, by the server's rule. */
export function runNeedsApproval({ run, alone }: Pick<RunDetail, 'run' | 'alone'>) {
  const { asset, reverses, pays, setsAside, releases, returned } = run;
  const units = (amount: string) => parseAmount(amount, asset);
  const moved = movedBy({
    pays: units(pays),
    setsAside: units(setsAside),
    releases: units(releases),
    returned: units(returned),
    reverses,
  });
  return isAboveLimit({ ...aloneLimitOf({ run, alone }), units: moved });
}

export const aloneLimitOf = ({ run: { asset }, alone }: Pick<RunDetail, 'run' | 'alone'>): AloneLimit => ({
  limit: parseAmount(alone.limit, asset),
  usedToday: parseAmount(alone.usedToday, asset),
});

export const formatUnits = (units: bigint, asset: Asset) => formatMoney({ units, asset });

export const formatAmountText = (amount: string, asset: Asset) => formatUnits(parseAmount(amount, asset), asset);

/** Whether the parts of the plan add up to the budget. */
export const isBalanced = ({ budget, pays, setsAside, keeps, asset }: Run) =>
  parseAmount(budget, asset) === sumOf([pays, setsAside, keeps], asset);
