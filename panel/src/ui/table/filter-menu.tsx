import { Menu } from '@mantine/core';
import { type Filter, type FilterProps, narrowed } from './filters.tsx';
import type { MenuFace } from './menu-button.tsx';
import { ToolbarMenu } from './toolbar-menu.tsx';

const hasChoices = ({ choices }: Filter) => choices.length > 0;

export function FilterMenu({ face, filters, change }: FilterProps & { face: MenuFace }) {
  return (
    <ToolbarMenu face={face} position="bottom-start">
      {filters.filter(hasChoices).map(({ key, label, value, choices }) => (
        <Menu.RadioGroup
          key={key}
          value={value ?? null}
          onChange={(chosen) => change(narrowed(key, chosen === value ? undefined : (chosen ?? undefined)))}
        >
          <Menu.Label>{label}</Menu.Label>
          {choices.map((choice) => (
            <Menu.RadioItem key={choice.value} value={choice.value} closeMenuOnClick>
              {choice.mark ?? choice.label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      ))}
    </ToolbarMenu>
  );
}
