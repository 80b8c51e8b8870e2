import type { ListedApproval } from 'contract/approvals.ts';
import { createContext, useState } from 'react';
import { useLast } from '#panel/ui/opening.ts';

/** What an open request needs to know of the list behind it. */
type Flow = {
  /** Told when the open request is decided. */
  onDecided: () => void;
  /** The request that came by itself after the one before it was decided. */
  cameNext: string | undefined;
};

export const DecidingFlow = createContext<Flow>({ onDecided: () => undefined, cameNext: undefined });

const isToDecide = ({ state, mayApprove }: ListedApproval) => state === 'waiting' && mayApprove;

type Options = {
  rows: readonly ListedApproval[] | undefined;
  id: string | undefined;
  step: (id: string) => void;
  close: () => void;
};

/** Decided, a request makes way for the next one that its reader may approve; after the last the list is left as it was. */
export function useDecidingFlow({ rows, id, step, close }: Options) {
  const [cameNext, setCameNext] = useState<string>();
  // A decided request may leave the list before the answer to its decision is here: its place is remembered.
  const last = useLast(rows?.some((row) => row.id === id) ? rows : undefined);
  const order = (last?.some((row) => row.id === id) ? last : rows) ?? [];
  const onDecided = () => {
    const next = nextToDecide({ order, rows: rows ?? [], id });
    setCameNext(next?.id);
    if (next) step(next.id);
    else close();
  };
  return { flow: { onDecided, cameNext }, ids: order.map((row) => row.id) };
}

type Place = { order: readonly ListedApproval[]; rows: readonly ListedApproval[]; id: string | undefined };

/** The next below, or else the first above; as it is now, because others decide as well. */
function nextToDecide({ order, rows, id }: Place) {
  const place = order.findIndex((row) => row.id === id);
  const others = [...order.slice(place + 1), ...order.slice(0, Math.max(place, 0))];
  return others
    .map((other) => rows.find((row) => row.id === other.id))
    .find((row) => row !== undefined && isToDecide(row));
}
