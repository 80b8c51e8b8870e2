import type { ListedApproval } from 'contract/approvals.ts';
import { createContext, useState } from 'react';
import { useLast } from '#panel/ui/opening.ts';

/** What an open request shares with the list behind it. */
type Flow = {
  /** Called when the open request is decided. */
  onDecided: () => void;
  /** The request that opened automatically after the previous one was decided. */
  autoOpened: string | undefined;
};

export const DecidingFlow = createContext<Flow>({ onDecided: () => undefined, autoOpened: undefined });

const isToDecide = ({ refusal }: ListedApproval) => refusal === null;

type Options = {
  rows: readonly ListedApproval[] | undefined;
  id: string | undefined;
  step: (id: string) => void;
  close: () => void;
};

/** Opens the next request that this administrator may approve after each decision, and closes after the last one. */
export function useDecidingFlow({ rows, id, step, close }: Options) {
  const [autoOpened, setAutoOpened] = useState<string>();
  // A decided request may leave the list before the response arrives, so its position is remembered.
  const last = useLast(rows?.some((row) => row.id === id) ? rows : undefined);
  const order = (last?.some((row) => row.id === id) ? last : rows) ?? [];
  const onDecided = () => {
    const next = nextToDecide({ order, rows: rows ?? [], id });
    setAutoOpened(next?.id);
    if (next) step(next.id);
    else close();
  };
  return { flow: { onDecided, autoOpened }, ids: order.map((row) => row.id) };
}

type Place = { order: readonly ListedApproval[]; rows: readonly ListedApproval[]; id: string | undefined };

/** Returns the next request below, or else the first above. Reads the current rows, because others decide as well. */
function nextToDecide({ order, rows, id }: Place) {
  const place = order.findIndex((row) => row.id === id);
  const others = [...order.slice(place + 1), ...order.slice(0, Math.max(place, 0))];
  return others
    .map((other) => rows.find((row) => row.id === other.id))
    .find((row) => row !== undefined && isToDecide(row));
}
