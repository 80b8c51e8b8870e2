import { Menu } from '@mantine/core';
import type { MenuFace } from './menu-button.tsx';
import { ToolbarMenu } from './toolbar-menu.tsx';
import type { ChangeView, TableView } from './view.ts';

/** A column as the chooser lists it. */
export type Choosable = { id: string; title: string; shown: boolean; canHide: boolean };

type DisplayProps = { columns: readonly Choosable[]; view: TableView; change: ChangeView };

export function DisplayMenu({ face, columns, view, change }: DisplayProps & { face: MenuFace }) {
  const toggle = (id: string) => {
    const shown = columns.filter((column) => (column.id === id ? !column.shown : column.shown));
    change({ columns: shown.map((column) => column.id).join(',') }, { replace: true });
  };
  return (
    <ToolbarMenu face={face} position="bottom-end">
      <Menu.Label>Density</Menu.Label>
      <Menu.RadioGroup
        value={view.density ?? 'comfortable'}
        onChange={(density) => change({ density: density === 'compact' ? density : undefined }, { replace: true })}
      >
        <Menu.RadioItem value="comfortable">Comfortable</Menu.RadioItem>
        <Menu.RadioItem value="compact">Compact</Menu.RadioItem>
      </Menu.RadioGroup>
      <Menu.Divider />
      <Menu.Label>Columns</Menu.Label>
      {columns
        .filter(({ canHide }) => canHide)
        .map(({ id, title, shown }) => (
          <Menu.CheckboxItem key={id} checked={shown} onChange={() => toggle(id)}>
            {title}
          </Menu.CheckboxItem>
        ))}
      <Menu.Divider />
      <Menu.Item
        disabled={view.columns === undefined && view.density === undefined}
        onClick={() => change({ columns: undefined, density: undefined }, { replace: true })}
      >
        Reset display
      </Menu.Item>
    </ToolbarMenu>
  );
}
