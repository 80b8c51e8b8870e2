import { Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { createTicket } from 'contract/tickets.ts';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { useCreateTicket } from './api.ts';

const { type: Subject, description: Description } = createTicket.body.shape;
const longest = { subject: 200, description: 5_000 };

/** Mounted only while the modal is open, so that the next ticket starts empty. */
export function NewTicketForm({ onClose }: { onClose: () => void }) {
  const first = useFocusOnArrival<HTMLInputElement>();
  const creating = useCreateTicket({ onCreated: onClose });
  const form = useForm({
    initialValues: { type: '', description: '' },
    validate: {
      type: (subject) => (Subject.safeParse(subject).success ? null : 'Enter a subject.'),
      description: (text) => (Description.safeParse(text).success ? null : 'Enter a description.'),
    },
  });
  const submit = form.onSubmit((ticket) => {
    if (!creating.isPending) creating.mutate({ body: ticket });
  });
  return (
    <form noValidate onSubmit={submit}>
      <FormFields saving={creating.isPending}>
        <TextInput
          label="Subject"
          required
          data-autofocus
          ref={first}
          maxLength={longest.subject}
          {...form.getInputProps('type')}
        />
        <Textarea
          label="Description"
          required
          mt="md"
          rows={6}
          maxLength={longest.description}
          description="Web links become clickable."
          {...form.getInputProps('description')}
        />
      </FormFields>
      <ModalActions waiting={creating.isPending}>
        <Button type="submit" loading={creating.isPending}>
          Submit Ticket
        </Button>
      </ModalActions>
    </form>
  );
}
