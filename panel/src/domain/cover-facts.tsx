import type { RunDetail } from 'contract/runs.ts';
import { Amount } from '#panel/ui/amount.tsx';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import type { Fact } from '#panel/ui/facts.tsx';
import { leftAfter } from './run-cover.ts';

/** What the treasury holds, what other runs still take from it, and what is left or missing. Nothing for a reversal. */
export function coverFacts({ run: { asset }, cover }: Pick<RunDetail, 'run' | 'cover'>): Fact[] {
  if (!cover) return [];
  const left = leftAfter(cover, asset);
  return [
    { name: 'Treasury', value: <AssetAmount amount={cover.treasury} asset={asset} /> },
    { name: 'Reserved for other runs', value: <AssetAmount amount={cover.reserved} asset={asset} /> },
    left < 0n
      ? { name: 'Shortfall', value: <Amount units={-left} asset={asset} /> }
      : { name: 'Left after this run', value: <Amount units={left} asset={asset} /> },
  ];
}
