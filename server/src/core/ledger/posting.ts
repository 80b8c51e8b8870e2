import type { Account, TransferKind } from 'contract/ledger.ts';
import type { Asset } from 'contract/core/money.ts';

/** A transfer to post. Its key is (day, kind, cause, part), or (kind, cause, part) for a kind that is paid once. */
export type Posting = {
  /** The accounting date in UTC, YYYY-MM-DD; today by default. */
  day?: string;
  kind: TransferKind;
  causeId: string;
  part: number;
  /** The user whose available, staked or held balance changes; null between platform accounts. */
  userId: string | null;
  asset: Asset;
  debit: Account;
  credit: Account;
  units: bigint;
};
