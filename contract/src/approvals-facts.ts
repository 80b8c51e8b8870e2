import { z } from 'zod';
import { Asset } from './core/money.ts';

/** How the value of a fact is formatted. Amounts are integer units and an asset, times are ISO 8601 in UTC. */
type FactType = 'text' | 'amount' | 'signedAmount' | 'time' | 'count' | 'basisPoints' | 'id' | 'day' | 'code';

/** Every fact that a request can state about the change it asks for. */
export const factTypes = {
  user: 'text',
  administrator: 'text',
  /** The direction in which money moves from the treasury's view: `in` or `out`. */
  treasury: 'code',
  amount: 'amount',
  adjustment: 'signedAmount',
  /** What a user owes and no longer has to pay. */
  writeOff: 'amount',
  reason: 'text',
  wallet: 'id',
  requestedAt: 'time',
  /** The reference of the transaction that paid a withdrawal. */
  signature: 'id',
  /** What is reported of an approved withdrawal: `failed`. */
  outcome: 'code',
  /** Who sends approved withdrawals: `manual` or `platform`. */
  withdrawalMode: 'code',
  /** The hours after which a sent withdrawal without a confirmation is unknown. */
  unknownAfterHours: 'count',
  task: 'text',
  postUrl: 'text',
  job: 'code',
  period: 'code',
  /** `run` or `reversal`. */
  direction: 'code',
  setsAside: 'amount',
  returned: 'amount',
  /** What a run collects at most from a user who owes something. */
  collects: 'amount',
  payments: 'count',
  skipped: 'count',
  settingsVersion: 'count',
  /** The first day to which settings apply. Without it, they apply to the next day that is not yet paid. */
  effectiveFrom: 'day',
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
  rank: 'code',
  /** A user of the platform and the rank that they get, such as "U1001 Silver". */
  promotion: 'code',
  /** How an account came to its right to approve: `created`, `widened` or `password`. */
  authority: 'code',
  apiKey: 'text',
  /** The scopes of an API key, as programs write them. */
  scopes: 'text',
  keyPrefix: 'id',
  requestsPerMinute: 'count',
  expiresAt: 'time',
  /** How long the current secret of an API key stays valid. */
  overlapHours: 'count',
} as const satisfies Record<string, FactType>;

/**
 * The fact of a setting is named after its field, and its value is in wire format. With a day, it is what changes from
 * that day on, which had settings of its own: `later.2026-06-01.baseReward`.
 */
export type FactKey = keyof typeof factTypes | `setting.${string}` | `later.${string}.${string}`;

/**
 * One fact of a request. The digest covers keys and values, never the text on the screen. Requests made before facts
 * had keys hold the screen text of that time instead.
 */
export type ApprovalFact = z.output<typeof ApprovalFact>;
export const ApprovalFact = z.object({
  key: z.string(),
  value: z.string(),
  /** The current value, if the request changes one. */
  before: z.string().optional(),
});

export const findFact = (facts: readonly ApprovalFact[], key: FactKey) => facts.find((fact) => fact.key === key);

export const writeFactAmount = (units: bigint, asset: Asset) => `${units} ${asset}`;

/** Parses "-1234500000 USD" into units and asset. Returns undefined for other text, such as older facts. */
export function readFactAmount(value: string) {
  const [, units, asset] = /^(-?\d+) ([A-Z]+)$/.exec(value) ?? [];
  const known = Asset.safeParse(asset);
  return units === undefined || !known.success ? undefined : { units: BigInt(units), asset: known.data };
}
