import { type Asset, parseAmount } from 'contract/core/money.ts';
import type { RunLine } from 'contract/runs-lines.ts';
import { movedBy, type Run } from 'contract/runs.ts';
import { sayAmount } from '#panel/ui/amount.tsx';

export const sumOf = (amounts: readonly string[], asset: Asset) =>
  amounts.reduce((sum, amount) => sum + parseAmount(amount, asset), 0n);

export const paidOf = ({ base, bonus, closing }: Pick<RunLine, 'base' | 'bonus' | 'closing'>, asset: Asset) =>
  sumOf([base, bonus, closing], asset);

/** By which the server asks for a second person. */
export function isAbove(limit: string, { asset, reverses, ...run }: Run) {
  const units = (amount: string) => parseAmount(amount, asset);
  const [pays, setsAside, releases, returned] = [run.pays, run.setsAside, run.releases, run.returned].map(units);
  const moved = { pays: pays ?? 0n, setsAside: setsAside ?? 0n, releases: releases ?? 0n, returned: returned ?? 0n };
  return movedBy({ ...moved, reverses }) > units(limit);
}

/** In a sentence the unit stands with every asset but dollars, which have their sign. */
export const say = (units: bigint, asset: Asset) =>
  asset === 'USD' ? sayAmount(units, asset) : `${sayAmount(units, asset)} ${asset}`;

export const sayText = (amount: string, asset: Asset) => say(parseAmount(amount, asset), asset);

/** Every unit of the budget went somewhere. */
export const isBalanced = ({ budget, pays, setsAside, keeps, asset }: Run) =>
  parseAmount(budget, asset) === sumOf([pays, setsAside, keeps], asset);
