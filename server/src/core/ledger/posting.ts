import type { Account, TransferKind } from 'contract/ledger.ts';
import type { Asset } from 'contract/core/money.ts';

/** A transfer as its cause asks for it. Its key is (day, kind, cause, part), and for what is paid once (kind, cause, part). */
export type Posting = {
  /** In UTC, YYYY-MM-DD: what it is for. Left out, it is for today. */
  day?: string;
  kind: TransferKind;
  causeId: string;
  part: number;
  /** Whose available, staked or held it moves; null where the platform moves its own. */
  userId: string | null;
  asset: Asset;
  debit: Account;
  credit: Account;
  units: bigint;
};
