import { TextInput } from '@mantine/core';
import { createPlan } from 'contract/staking.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { useCreatePlan } from './api.ts';
import { yearlyRate } from './plan-text.ts';

const { days: Days, dailyRate: DailyRate } = createPlan.body.shape;

const daysRule = 'Enter whole days from 1 to 3,650.';
const rateRule = 'Enter a percentage from 0 to 100 with at most four decimals.';

const numberIn = (text: string) => (text.trim() === '' ? undefined : Number(text));

/** Mounted only while the modal is open, so that the next plan starts empty. */
export function PlanForm({ onClose }: { onClose: () => void }) {
  const first = useFocusOnArrival<HTMLInputElement>();
  const [typed, setTyped] = useState({ days: '', dailyRate: '' });
  const [tried, setTried] = useState(false);
  const creating = useCreatePlan({ onCreated: onClose });
  const days = Days.safeParse(numberIn(typed.days));
  const dailyRate = DailyRate.safeParse(numberIn(typed.dailyRate));
  const submit = () => {
    setTried(true);
    if (days.success && dailyRate.success && !creating.isPending) {
      creating.mutate({ body: { days: days.data, dailyRate: dailyRate.data } });
    }
  };
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FormFields saving={creating.isPending}>
        <TextInput
          label="Duration in days"
          type="number"
          inputMode="numeric"
          min={1}
          max={3_650}
          required
          data-autofocus
          ref={first}
          value={typed.days}
          error={tried && !days.success && (typed.days === '' ? 'Enter a duration.' : daysRule)}
          onChange={({ currentTarget }) => setTyped({ ...typed, days: currentTarget.value })}
        />
        <TextInput
          label="Daily rate in percent"
          description={
            dailyRate.success
              ? `${yearlyRate(dailyRate.data)} a year. Cannot be changed later.`
              : 'Cannot be changed later.'
          }
          type="number"
          inputMode="decimal"
          min={0}
          max={100}
          step={0.0001}
          required
          value={typed.dailyRate}
          error={tried && !dailyRate.success && (typed.dailyRate === '' ? 'Enter a daily rate.' : rateRule)}
          onChange={({ currentTarget }) => setTyped({ ...typed, dailyRate: currentTarget.value })}
        />
      </FormFields>
      {creating.error && (
        <Notice tone="bad" reference={creating.error.reference}>
          {creating.error.message}
        </Notice>
      )}
      <ModalActions waiting={creating.isPending}>
        <Button type="submit" loading={creating.isPending}>
          Add plan
        </Button>
      </ModalActions>
    </form>
  );
}
