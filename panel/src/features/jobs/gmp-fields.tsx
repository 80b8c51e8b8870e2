import { NativeSelect, Switch, TextInput } from '@mantine/core';
import { type GmpDraft, wholeTime } from './gmp-draft.ts';
import { Frequency } from 'contract/recurrence.ts';

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((name, index) => ({
  value: String(index + 1),
  label: `${index + 1} ${name}`,
}));

type Props = {
  values: GmpDraft;
  edit: (more: Partial<GmpDraft>) => void;
  errorOf: (field: keyof GmpDraft) => string | undefined;
  denied: string | undefined;
};

const fieldOf =
  ({ values, edit, errorOf, denied }: Props) =>
  (name: Exclude<keyof GmpDraft, 'enabled'>) => ({
    name,
    value: values[name],
    error: errorOf(name),
    disabled: denied !== undefined,
    onChange: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
  });

export function GmpFields(props: Props) {
  const { values, edit, denied } = props;
  const field = fieldOf(props);
  return (
    <>
      <Switch
        label="Enabled"
        description={
          denied ??
          (values.enabled
            ? 'Due as scheduled below. Above the limit it waits for a second approval.'
            : 'Not scheduled.')
        }
        checked={values.enabled}
        disabled={denied !== undefined}
        onChange={(event) => edit({ enabled: event.currentTarget.checked })}
      />
      <div className="form-row">
        <TextInput
          label="Amount"
          inputMode="decimal"
          description="Total pool."
          rightSectionWidth={52}
          rightSection={<span className="form-unit">GMP</span>}
          {...field('amount')}
        />
        <TextInput
          label="Percentage"
          type="number"
          inputMode="decimal"
          min={0}
          max={100}
          step={0.01}
          description="Share of the pool to distribute."
          rightSection={<span className="form-unit">%</span>}
          {...field('percentage')}
        />
      </div>
      <ScheduleFields {...props} />
    </>
  );
}

function ScheduleFields(props: Props) {
  const { values, edit, denied } = props;
  const field = fieldOf(props);
  const weekly = values.frequency === 'Weekly';
  return (
    <>
      <div className="form-row">
        <NativeSelect label="Frequency" data={Frequency.options} {...field('frequency')} />
        <NativeSelect
          label="Weekday"
          data={weekdays}
          {...field('weekday')}
          disabled={denied !== undefined || !weekly}
          {...(!weekly && { title: 'Only a weekly distribution has a weekday.' })}
        />
      </div>
      <div className="form-row">
        <TextInput
          label="Time"
          placeholder="HH:mm"
          maxLength={5}
          autoComplete="off"
          description="HH:mm, at the UTC offset."
          {...field('time')}
          onBlur={() => {
            const time = wholeTime(values.time);
            if (time !== values.time) edit({ time });
          }}
        />
        <TextInput
          label="UTC offset"
          type="number"
          min={-12}
          max={14}
          step={0.25}
          description="Hours from -12 to 14, quarters allowed."
          {...field('utcOffset')}
        />
      </div>
    </>
  );
}
