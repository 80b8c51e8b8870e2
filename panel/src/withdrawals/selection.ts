import type { Withdrawal } from 'contract/withdrawals.ts';
import { useState } from 'react';

export type Selection = { has: (id: string) => boolean; toggle: (id: string) => void };

export const canBeDecided = ({ status, waitsUntil }: Withdrawal) => status === 'Pending' && !waitsUntil;

/** Chosen by hand among the rows that are shown: what is not on the screen is never decided. */
export function useSelection(rows: readonly Withdrawal[] | undefined) {
  const [ids, setIds] = useState<readonly string[]>([]);
  const choosable = (rows ?? []).filter(canBeDecided);
  const chosen = choosable.filter(({ id }) => ids.includes(id));
  return {
    selection: {
      has: (id: string) => ids.includes(id),
      toggle: (id: string) =>
        setIds((before) => (before.includes(id) ? before.filter((other) => other !== id) : [...before, id])),
    },
    chosen,
    choosable,
    choose: (withdrawals: readonly Withdrawal[]) => setIds(withdrawals.map(({ id }) => id)),
  };
}
