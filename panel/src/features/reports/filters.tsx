import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import {
  newestSearched,
  type ReportFilter,
  type ReportTab,
  reportStatuses,
  searchesNewestOnly,
} from 'contract/reports.ts';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { type ChangeView, formatCount } from '#panel/ui/table/view.ts';

type Props = { tab: ReportTab; filter: ReportFilter; change: ChangeView };

export const noFilter = { user: undefined, status: undefined, date: undefined, cursor: undefined };

export function ReportFilters({ tab, filter, change }: Props) {
  const statuses = useId();
  const isShort = filter.user !== undefined && searchesNewestOnly(filter.user);
  const isSet = Object.values(filter).some((value) => value !== undefined);
  return (
    <search className="report-filters" aria-label="Filter the report">
      <FilterText
        name="user"
        label="User"
        placeholder="Any part of the name"
        value={filter.user}
        change={change}
        maxLength={64}
        description={
          isShort && `Fewer than three letters are looked for in the newest ${formatCount(newestSearched)} rows only.`
        }
        inputWrapperOrder={['label', 'input', 'description']}
      />
      <FilterText
        name="status"
        label="Status"
        placeholder={reportStatuses[tab].join(' or ')}
        value={filter.status}
        change={change}
        maxLength={40}
        list={statuses}
      />
      <datalist id={statuses}>
        {reportStatuses[tab].map((status) => (
          <option key={status}>{status}</option>
        ))}
      </datalist>
      <FilterText name="date" label="Date" type="date" value={filter.date} change={change} />
      <div className="report-clear">
        <Button
          variant="default"
          disabledReason={isSet ? undefined : 'No filter is set.'}
          onClick={() => change(noFilter)}
        >
          Clear Filters
        </Button>
      </div>
    </search>
  );
}

const pauseMs = 250;

type TextProps = Omit<TextInputProps, 'value' | 'onChange' | 'name'> & {
  /** The search parameter in the URL. */
  name: keyof ReportFilter;
  value: string | undefined;
  change: ChangeView;
};

function FilterText({ name, value = '', change, ...input }: TextProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((text: string) => {
    const trimmed = text.trim();
    if (trimmed === sent.current) return;
    sent.current = trimmed;
    // One history entry per filter, not one per keystroke.
    change({ [name]: trimmed || undefined, cursor: undefined }, { replace: value !== '' });
  }, pauseMs);

  // Clear, Back or a link changed the URL, so the field follows it. The field's own changes are ignored.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    send.cancel();
    setTyped(value);
  }, [value, send]);

  return (
    <TextInput
      {...input}
      className="report-filter"
      value={typed}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        send(currentTarget.value);
      }}
    />
  );
}
