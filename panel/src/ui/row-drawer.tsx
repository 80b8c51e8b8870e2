import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { useEverOpened, useLast } from './opening.ts';

// Loaded when a row is first opened, so that the list loads faster.
const Drawer = lazy(async () => ({ default: (await import('./drawer.tsx')).Drawer }));

type Identified = { id: string };

/** `known` is the row from the list, shown immediately while the row is fetched. */
export type RowViewProps<Row> = { id: string; known: Row | undefined };

type Props<Row extends Identified> = {
  title: string;
  View: ComponentType<RowViewProps<Row>>;
  id: string | undefined;
  rows: readonly Row[] | undefined;
  onClose: () => void;
  /** Shown above the row. It stays mounted when another row is opened. */
  head?: ReactNode;
};

/** One row of a list, in a drawer over it. */
export function RowDrawer<Row extends Identified>({ title, View, id, rows, onClose, head }: Props<Row>) {
  const shown = useLast(id);
  const lastKnown = useLast(rows?.find((row) => row.id === id));
  const known = lastKnown?.id === shown ? lastKnown : undefined;
  if (!useEverOpened(id !== undefined) || shown === undefined) return null;
  return (
    <Suspense>
      <Drawer title={title} opened={id !== undefined} onClose={onClose}>
        {head}
        <View key={shown} id={shown} known={known} />
      </Drawer>
    </Suspense>
  );
}
