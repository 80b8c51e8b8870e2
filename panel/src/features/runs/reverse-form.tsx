import { Textarea } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { RunLine } from 'contract/runs-lines.ts';
import type { RunDetail } from 'contract/runs.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { formatAmountText } from './amounts.ts';
import { useReverse } from './api.ts';

type Props = { detail: RunDetail; line: RunLine | undefined; onDone: () => void };

/** Plans the reversal and opens its page, which shows the exact payments before it runs. */
export function ReverseForm({ detail: { run, progress }, line, onDone }: Props) {
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const navigate = useNavigate();
  const reversing = useReverse({
    onDone: (id) => {
      onDone();
      void navigate({ to: '/dashboard/runs/$id', params: { id } });
    },
  });
  const trimmed = reason.trim();
  const submit = () => {
    setTried(true);
    if (trimmed === '' || reversing.isPending) return;
    reversing.mutate({ params: { id: run.id }, body: { reason: trimmed, ...(line && { user: line.user.id }) } });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="run-question">
        {line
          ? `Reverse what this run paid to ${line.user.username}?`
          : `Reverse this run? ${formatAmountText(progress.paid, run.asset)} was paid in ${formatCount(progress.paidLines)} payments.`}
        {run.reversed === 'partly' && ' What has already been reversed is not reversed again.'}
      </p>
      <p className="run-hint">
        No money moves yet: the reversal is planned as a run of its own, and you review it before you run it. If a user
        has already spent the money, the shortfall is recorded as a receivable on their profile.
      </p>
      <FormFields saving={reversing.isPending}>
        <Textarea
          label="Reason"
          description="Shown with both runs and saved in the audit log."
          data-autofocus
          required
          mt="md"
          rows={3}
          maxLength={500}
          value={reason}
          error={tried && trimmed === '' ? 'Enter a reason.' : undefined}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </FormFields>
      <ModalActions waiting={reversing.isPending}>
        <Button type="submit" color="red" loading={reversing.isPending}>
          Plan the reversal
        </Button>
      </ModalActions>
    </form>
  );
}
