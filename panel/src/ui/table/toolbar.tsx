import { IconAdjustmentsHorizontal, IconFilter } from '@tabler/icons-react';
import { lazy, type ReactNode } from 'react';
import type { Choosable } from './display-menu.tsx';
import { type Filter, FilterChips } from './filters.tsx';
import { MenuButton } from './menu-button.tsx';
import { SearchBox, type SearchOptions } from './search-box.tsx';
import './toolbar.css';
import type { ChangeView, TableView } from './view.ts';

type Props = {
  columns: readonly Choosable[];
  view: TableView;
  change: ChangeView;
  search?: SearchOptions | undefined;
  /** Shown beside the search. */
  tools?: ReactNode;
  filters?: readonly Filter[] | undefined;
};

const loadFilterMenu = () => import('./filter-menu.tsx');
const loadDisplayMenu = () => import('./display-menu.tsx');
const FilterMenu = lazy(async () => ({ default: (await loadFilterMenu()).FilterMenu }));
const DisplayMenu = lazy(async () => ({ default: (await loadDisplayMenu()).DisplayMenu }));

export function Toolbar({ columns, view, change, search, tools, filters = [] }: Props) {
  return (
    <div className="table-toolbar">
      {search && <SearchBox {...search} value={view.search} change={change} />}
      {tools}
      {filters.length > 0 && (
        <MenuButton
          label="Filter"
          icon={<IconFilter size={16} stroke={1.75} aria-hidden />}
          prepare={loadFilterMenu}
          renderMenu={(face) => <FilterMenu face={face} filters={filters} change={change} />}
        />
      )}
      <FilterChips filters={filters} change={change} />
      <div className="table-display">
        <MenuButton
          label="Display"
          icon={<IconAdjustmentsHorizontal size={16} stroke={1.75} aria-hidden />}
          prepare={loadDisplayMenu}
          renderMenu={(face) => <DisplayMenu face={face} columns={columns} view={view} change={change} />}
        />
      </div>
    </div>
  );
}
