import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import './toolbar.css';
import type { ChangeView } from './view.ts';

type FilterChoice = { value: string; label: string; mark?: ReactNode };

/** A filter of a list; `key` is its URL parameter. */
export type Filter = {
  key: string;
  label: string;
  value: string | undefined;
  /** Empty if the filter is set elsewhere on the page. */
  choices: readonly FilterChoice[];
};

export type FilterProps = { filters: readonly Filter[]; change: ChangeView };

/** A changed filter starts the list at its first page. */
export const narrowed = (key: string, value: string | undefined) => ({ [key]: value, cursor: undefined });

export function FilterChips({ filters, change }: FilterProps) {
  const active = filters.filter(({ value }) => value !== undefined);
  if (active.length === 0) return null;
  return (
    <ul className="table-chips" aria-label="Active filters">
      {active.map(({ key, label, value, choices }) => {
        const chosen = choices.find((choice) => choice.value === value)?.label ?? value;
        return (
          <li key={key} className="table-chip">
            <span className="table-chip-label">{label}</span>
            <span>{chosen}</span>
            <CloseButton
              size={24}
              iconSize={12}
              radius="xl"
              aria-label={`Remove filter ${label}: ${chosen}`}
              onClick={() => change(narrowed(key, undefined))}
            />
          </li>
        );
      })}
    </ul>
  );
}
