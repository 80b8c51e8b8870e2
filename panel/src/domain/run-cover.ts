import { type Asset, parseAmount } from 'contract/core/money.ts';
import type { RunDetail } from 'contract/runs.ts';

type Cover = NonNullable<RunDetail['cover']>;

/** What the treasury has left after this run and all others that are started. Negative if it does not cover them. */
export const leftAfter = ({ treasury, reserved, needed }: Cover, asset: Asset) =>
  parseAmount(treasury, asset) - parseAmount(reserved, asset) - parseAmount(needed, asset);
