import { Textarea, TextInput } from '@mantine/core';
import { type ListProblem, longestList, type ParsedList, parseList } from 'contract/withdrawals-list.ts';
import { isPeriod, type Reconciliation, reconcileWithdrawals } from 'contract/withdrawals-reconciliation.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { useReconcile } from './api.ts';
import { useDisabledReason } from './deciding.tsx';

const refusals = reconcileWithdrawals.refusals[422];

const example = 'reference,amount,wallet,time\n5sig…,120.50,7xKX…gAsU,2026-11-15T10:00:00Z';

/** Compares a pasted list. The period follows the list until it is changed. */
export function ReconcileForm() {
  const [list, setList] = useState('');
  const [period, setPeriod] = useState<Partial<{ from: string; to: string }>>({});
  const [tried, setTried] = useState(false);
  const denied = useDisabledReason();
  const reconciling = useReconcile({
    onDone: () => {
      setList('');
      setPeriod({});
      setTried(false);
    },
  });
  const parsed = parseList(list);
  const { from, to } = { ...periodOf(parsed), ...period };
  const problem = problemOf(list, parsed);
  const wrongPeriod = !problem && !(isDay(from) && isDay(to) && isPeriod({ from, to }));
  const submit = () => {
    setTried(true);
    if (!problem && !wrongPeriod && !denied && !reconciling.isPending) reconciling.mutate({ body: { list, from, to } });
  };
  return (
    <form
      className="reconcile"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FormFields saving={reconciling.isPending}>
        <Textarea
          label="Transfers that were sent"
          description="Paste CSV with the columns reference, amount, wallet and time. Up to 60,000 characters; paste a longer list in parts, one period each."
          placeholder={example}
          rows={6}
          maxLength={longestList}
          classNames={{ input: 'reconcile-list' }}
          value={list}
          error={tried ? problem : undefined}
          onChange={({ currentTarget }) => setList(currentTarget.value)}
        />
        <PeriodFields
          from={from}
          to={to}
          error={tried && wrongPeriod ? refusals.PeriodInvalid : undefined}
          onChange={(change) => setPeriod({ ...period, ...change })}
        />
      </FormFields>
      <div>
        <Button type="submit" loading={reconciling.isPending} disabledReason={denied}>
          Compare
        </Button>
      </div>
      {reconciling.error && (
        <Notice tone="bad" reference={reconciling.error.reference}>
          {reconciling.error.message}
        </Notice>
      )}
      {reconciling.data && <Result result={reconciling.data.reconciliation} />}
    </form>
  );
}

type PeriodProps = {
  from: string;
  to: string;
  error: string | undefined;
  onChange: (change: { from?: string; to?: string }) => void;
};

function PeriodFields({ from, to, error, onChange }: PeriodProps) {
  return (
    <div className="reconcile-period">
      <TextInput
        type="date"
        label="First day (UTC)"
        value={from}
        error={error}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        label="Last day (UTC)"
        value={to}
        onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
      />
    </div>
  );
}

const isDay = (day: string) => /^\d{4}-\d\d-\d\d$/.test(day);

/** From the first to the last day of the list. */
function periodOf({ payments }: ParsedList) {
  const days = payments.map(({ time }) => time.toISOString().slice(0, 10)).toSorted();
  return { from: days[0] ?? '', to: days.at(-1) ?? '' };
}

const problems: Record<ListProblem['problem'], string> = {
  columns: 'it must name the columns reference, amount, wallet and time',
  reference: 'the reference is missing or longer than 200 characters',
  repeated: 'the reference is already in the list',
  amount: 'the amount is not a positive number of dollars with at most six decimals',
  wallet: 'the wallet is missing',
  time: 'the time is not a date such as 2026-11-15T10:00:00Z',
};

function problemOf(list: string, { payments, problems: found }: ParsedList) {
  if (list.trim() === '') return 'Paste a list.';
  const [first] = found;
  if (first) {
    const more = found.length > 1 ? ` (${found.length} lines are wrong)` : '';
    return `Line ${first.line}: ${problems[first.problem]}.${more}`;
  }
  return payments.length === 0 ? 'The list has no payments.' : undefined;
}

function Result({ result: { listed, matched, differences } }: { result: Reconciliation }) {
  const found = formatTotal({ count: differences, capped: false }, { one: 'difference', many: 'differences' });
  return (
    <Notice tone={differences > 0 ? 'waiting' : 'good'}>
      {matched} of {formatTotal({ count: listed, capped: false }, { one: 'payment', many: 'payments' })} matched.{' '}
      {differences > 0 ? `${found} to review.` : 'No differences.'}
    </Notice>
  );
}
