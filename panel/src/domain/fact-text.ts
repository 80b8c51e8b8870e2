import { type ApprovalFact, factTypes, findFact, readFactAmount } from 'contract/approvals-facts.ts';
import { type Asset, parseAmount } from 'contract/core/money.ts';
import { Rank } from 'contract/ranks.ts';
import { JobName, jobTitle, RunKind } from 'contract/run-kinds.ts';
import { formatAmount } from '#panel/ui/amount.tsx';
import { formatCount, formatTotal } from '#panel/ui/table/view.ts';
import { formatDay } from '#panel/ui/time-text.ts';
import { formatRun } from './run-text.ts';

type KnownKey = keyof typeof factTypes;

const labels: Record<KnownKey, string> = {
  user: 'User',
  administrator: 'Administrator',
  treasury: 'Treasury',
  amount: 'Amount',
  adjustment: 'Amount',
  writeOff: 'Written off',
  reason: 'Reason',
  wallet: 'Wallet',
  requestedAt: 'Requested',
  signature: 'Transaction reference',
  outcome: 'Outcome',
  withdrawalMode: 'Sent by',
  unknownAfterHours: 'Mark as unknown after (hours)',
  task: 'Task',
  postUrl: 'Post URL',
  job: 'Job',
  period: 'Period',
  direction: 'Direction',
  setsAside: 'Set aside',
  returned: 'Stakes returned',
  collects: 'Maximum collected per user',
  payments: 'Payments',
  skipped: 'Skipped',
  settingsVersion: 'Settings version',
  effectiveFrom: 'Takes effect',
  planHash: 'Plan fingerprint',
  role: 'Role',
  permissionSet: 'Permissions',
  days: 'Stake plan',
  dailyRate: 'Daily rate',
  limitKind: 'Applies to',
  limit: 'Limit',
  users: 'Users',
  referralCount: 'Referral counts corrected',
  totalNetwork: 'Network sizes corrected',
  totalTeamVolumeSOL: 'SOL volumes corrected',
  totalTeamVolumeUSD: 'USD volumes corrected',
  reportAt: 'Report created',
  corrections: 'Fingerprint of the corrections',
  version: 'Version',
  rank: 'Rank',
  promotion: 'Promotion',
  authority: 'Change to confirm',
  apiKey: 'API key',
  scopes: 'Scopes',
  keyPrefix: 'Secret starts with',
  requestsPerMinute: 'Requests per minute',
  expiresAt: 'Expires',
  overlapHours: 'Current secret stays valid (hours)',
};

const settingLabels: Record<string, string> = {
  enabled: 'Enabled',
  baseReward: 'Base reward',
  bonusReward: 'Bonus reward',
  loyaltyReward: 'Loyalty reward',
  amount: 'Amount',
  frequency: 'Frequency',
  time: 'Time',
  weekday: 'Weekday',
  utcOffset: 'UTC offset',
  percentage: 'Percentage',
  period: 'Period in days',
  reward: 'Reward',
  rank: 'Rank',
  bonusAmount: 'Bonus amount',
  ...Object.fromEntries(
    Rank.options.flatMap((rank) => [
      [`${rank}.referrals`, `${rank}: direct referrals`],
      [`${rank}.volume`, `${rank}: team volume`],
    ]),
  ),
};

const codes: Partial<Record<KnownKey, Record<string, string>>> = {
  treasury: { in: 'Money in', out: 'Money out' },
  limitKind: {
    alone: 'Daily limit per administrator',
    adjustment: 'Adjustments',
    schedule: 'Scheduled runs',
    collection: 'Collection',
  },
  outcome: { failed: 'Failed: the money returns to the user' },
  withdrawalMode: { manual: 'Administrators', platform: 'The platform' },
  rank: { none: 'No rank' },
  role: { SuperAdmin: 'Super Admin', deleted: 'Deleted' },
  authority: { created: 'New account', widened: 'More permissions', password: 'New password' },
};

/** Returns the field of a setting, and the day from which it changes if that is a later one. */
function settingOf(key: string) {
  const { day, field } = /^(?:setting|later\.(?<day>\d{4}-\d\d-\d\d))\.(?<field>.+)$/.exec(key)?.groups ?? {};
  return field === undefined ? undefined : { day, field };
}

const isKnown = (key: string): key is KnownKey => Object.hasOwn(factTypes, key);

/** Returns undefined for requests from before keys were introduced: their facts have a label as key. */
export const typeOfFact = ({ key }: ApprovalFact) => (isKnown(key) ? factTypes[key] : undefined);

export function labelOfFact({ key }: ApprovalFact) {
  if (isKnown(key)) return labels[key];
  const setting = settingOf(key);
  if (!setting) return key;
  const label = settingLabels[setting.field] ?? setting.field;
  return setting.day === undefined ? label : `${label} from ${formatDay(setting.day)}`;
}

const unitNames: Partial<Record<Asset, string>> = { SOL: ' SOL', GMP: ' GMP', SLX: ' SLX', SHARE: ' shares' };

/** "$1,234.50" or "40 shares". */
export const formatAssetAmount = (units: bigint, asset: Asset) =>
  `${formatAmount(units, asset)}${unitNames[asset] ?? ''}`;

/** Formats a fact for a sentence; a change has an arrow between two values. */
export function formatFact(fact: ApprovalFact) {
  const value = formatValue(fact.key, fact.value);
  return fact.before === undefined ? value : `${formatValue(fact.key, fact.before)} → ${value}`;
}

function formatValue(key: string, value: string) {
  const setting = settingOf(key);
  if (setting) return formatSetting(setting.field, value);
  if (!isKnown(key)) return value;
  if (key === 'days') return formatDays(value);
  if (key === 'job') return jobTitle(JobName.parse(value));
  if (key === 'promotion') return value.replace(' ', ' → ');
  return formatters[factTypes[key]]?.(value) ?? codes[key]?.[value] ?? value;
}

const percents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });

const formatters: Partial<Record<(typeof factTypes)[KnownKey], (value: string) => string>> = {
  amount: (value) => formatFactAmount(value),
  signedAmount: (value) => formatFactAmount(value, '+'),
  basisPoints: (value) => `${percents.format(Number(value) / 100)}%`,
  day: (value) => formatDay(value),
  count: (value) => formatCount(Number(value)),
};

function formatFactAmount(value: string, plus = '') {
  const amount = readFactAmount(value);
  return amount ? `${amount.units > 0n ? plus : ''}${formatAssetAmount(amount.units, amount.asset)}` : value;
}

function formatSetting(field: string, value: string) {
  if (value === 'true' || value === 'false') return value === 'true' ? 'yes' : 'no';
  if (field === 'amount') return `${value} GMP`;
  if (field === 'bonusAmount' || field.endsWith('.volume')) return formatFactAmount(`${parseAmount(value, 'USD')} USD`);
  return field === 'percentage' || field.toLowerCase().endsWith('reward') ? `${value}%` : value;
}

const formatDays = (days: string) => formatTotal({ count: Number(days), capped: false }, { one: 'day', many: 'days' });

/** Returns the full name of the run that a request is about, or undefined if it is about none. */
export function formatRunOf(facts: readonly ApprovalFact[]) {
  const kind = RunKind.safeParse(findFact(facts, 'job')?.value).data;
  const period = findFact(facts, 'period')?.value;
  if (kind === undefined || period === undefined) return undefined;
  const reverses = findFact(facts, 'direction')?.value === 'reversal' ? '' : null;
  return formatRun({ kind, period, reverses });
}
