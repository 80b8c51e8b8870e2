import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ChangeView } from '#panel/ui/table/view.ts';
import './days.css';

type Props = { view: { from?: string | undefined; to?: string | undefined }; change: ChangeView };

/** Filters by a range of days, both inclusive. */
export function Days({ view, change }: Props) {
  return (
    <search className="days" aria-label="Narrow to days">
      <DayField name="from" label="From" value={view.from} change={change} max={view.to} />
      <DayField name="to" label="To" value={view.to} change={change} min={view.from} />
    </search>
  );
}

type FieldProps = {
  name: 'from' | 'to';
  label: string;
  value: string | undefined;
  change: ChangeView;
  min?: string | undefined;
  max?: string | undefined;
};

function DayField({ name, label, value = '', change, min, max }: FieldProps) {
  const [typed, setTyped] = useState(value);
  const [previous, setPrevious] = useState(value);
  // The URL changed without the field, by Back or a removed filter, so the field follows it.
  if (previous !== value) {
    setPrevious(value);
    setTyped(value);
  }
  return (
    <TextInput
      type="date"
      label={label}
      className="days-field"
      value={typed}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        change({ [name]: currentTarget.value || undefined, cursor: undefined });
      }}
    />
  );
}
