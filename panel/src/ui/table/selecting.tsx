import { createContext, type ReactNode, use } from 'react';
import { CheckBox } from '../check-box.tsx';
import { columnsOf } from './features.ts';
import { selectBoxClass } from './row-keys.ts';
import type { Selection } from './selection.ts';
import { formatCount } from './view.ts';

type Row = { id: string };

/** Cells read the selection from a context: a column that closed over it would be a new column after every click. */
const Selecting = createContext<Selection<Row> | undefined>(undefined);

export function SelectionOf({ selection, children }: { selection: Selection<Row>; children: ReactNode }) {
  return <Selecting value={selection}>{children}</Selecting>;
}

/** The checkbox column at the left of a list. The table must be inside `SelectionOf`. */
export const selectColumn = <R extends Row>(labelOf: (row: R) => string) =>
  columnsOf<R>().display({
    id: 'select',
    header: () => <SelectAll />,
    enableHiding: false,
    meta: { width: 48 },
    cell: ({ row }) => <SelectRow id={row.original.id} label={labelOf(row.original)} />,
  });

function SelectAll() {
  const selection = use(Selecting);
  if (!selection) return null;
  const { chosen, choosable, toggleAll } = selection;
  return (
    <CheckBox
      labelHidden
      className={selectBoxClass}
      label={`Select all ${formatCount(choosable.length)} on this page`}
      checked={choosable.length > 0 && chosen.length === choosable.length}
      indeterminate={chosen.length > 0 && chosen.length < choosable.length}
      disabled={choosable.length === 0}
      onToggle={toggleAll}
    />
  );
}

function SelectRow({ id, label }: { id: string; label: string }) {
  const selection = use(Selecting);
  const is = (row: Row) => row.id === id;
  if (!selection?.choosable.some(is)) return null;
  return (
    <CheckBox
      labelHidden
      className={selectBoxClass}
      label={label}
      checked={selection.chosen.some(is)}
      onToggle={(range) => selection.toggle(id, { range })}
    />
  );
}
