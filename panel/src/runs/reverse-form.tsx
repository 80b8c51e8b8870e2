import { Textarea } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { RunDetail, RunLine } from 'contract/runs.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { sayCount } from '#panel/ui/table/view.ts';
import { sayText } from './amounts.ts';
import { useReverse } from './api.ts';

type Props = { detail: RunDetail; line: RunLine | undefined; onDone: () => void };

/** Plans the run that takes it back; its page shows what exactly that would be. */
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
  const words = reason.trim();
  const submit = () => {
    setTried(true);
    if (words === '' || reversing.isPending) return;
    reversing.mutate({ params: { id: run.id }, body: { reason: words, ...(line && { person: line.person.id }) } });
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
          ? `Take back what this run paid to ${line.person.username}?`
          : `Take back ${sayText(progress.paid, run.asset)} that this run paid in ${sayCount(progress.paidLines)} lines?`}
      </p>
      <p className="run-hint">
        Nothing moves yet: the reversal is planned as a run of its own, and you look at it before you run it. Whoever
        has spent it since keeps it, and stands in its plan as left out.
      </p>
      <FormFields saving={reversing.isPending}>
        <Textarea
          label="Reason"
          description="Shown with both runs and kept in the audit log."
          data-autofocus
          required
          mt="md"
          rows={3}
          maxLength={500}
          value={reason}
          error={tried && words === '' ? 'Enter a reason.' : undefined}
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
