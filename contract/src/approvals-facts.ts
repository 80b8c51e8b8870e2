import { z } from 'zod';
import { Asset } from './core/money.ts';

/** How the value of a fact is written. Amounts are integer units and an asset, times are ISO 8601 in UTC. */
type FactType = 'text' | 'amount' | 'signedAmount' | 'time' | 'count' | 'basisPoints' | 'id' | 'code';

/** Everything that a request can say about what would be done. */
export const factTypes = {
  user: 'text',
  administrator: 'text',
  /** Which way money of the treasury goes: `in` or `out`. */
  treasury: 'code',
  amount: 'amount',
  adjustment: 'signedAmount',
  reason: 'text',
  wallet: 'id',
  requestedAt: 'time',
  signature: 'id',
  task: 'text',
  postUrl: 'text',
  job: 'code',
  period: 'code',
  /** `run` or `reversal`. */
  direction: 'code',
  setsAside: 'amount',
  returned: 'amount',
  payments: 'count',
  skipped: 'count',
  settingsVersion: 'count',
  planHash: 'id',
  role: 'code',
  permissionSet: 'code',
  days: 'count',
  dailyRate: 'basisPoints',
  limitKind: 'code',
  limit: 'amount',
  users: 'count',
  referralCount: 'count',
  totalNetwork: 'count',
  totalTeamVolumeSOL: 'count',
  totalTeamVolumeUSD: 'count',
  reportAt: 'time',
  corrections: 'id',
  version: 'count',
} as const satisfies Record<string, FactType>;

/** A setting has the name of its field, and its value is written as it travels. */
export type FactKey = keyof typeof factTypes | `setting.${string}`;

/**
 * One fact of a request. The digest covers keys and values, never the words that people read. Requests that are older
 * than the keys have the words of their time instead.
 */
export type ApprovalFact = z.output<typeof ApprovalFact>;
export const ApprovalFact = z.object({
  key: z.string(),
  value: z.string(),
  /** Where something is changed, the value that it has now. */
  before: z.string().optional(),
});

export const findFact = (facts: readonly ApprovalFact[], key: FactKey) => facts.find((fact) => fact.key === key);

export const writeFactAmount = (units: bigint, asset: Asset) => `${units} ${asset}`;

/** "-1234500000 USD" as units and asset. Undefined where a fact of older form, or of none, is no such amount. */
export function readFactAmount(value: string) {
  const [, units, asset] = /^(-?\d+) ([A-Z]+)$/.exec(value) ?? [];
  const known = Asset.safeParse(asset);
  return units === undefined || !known.success ? undefined : { units: BigInt(units), asset: known.data };
}
