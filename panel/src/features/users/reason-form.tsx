import { Textarea } from '@mantine/core';
import { Reason, type User } from 'contract/users.ts';
import { type ReactNode, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';

type Props = {
  user: User;
  /** What the action does. */
  children: ReactNode;
  /** The name of the action. */
  action: string;
  color?: 'red';
  description?: string;
  saving: boolean;
  onSubmit: (reason: string) => void;
};

const longestReason = 500;

const formatReason = (reason: string) =>
  reason.trim() === '' ? 'Enter a reason.' : 'Give a reason of at least three characters.';

/** Asks for the reason of an action on a user. Mounted only while its modal is open, so that the next starts empty. */
export function ReasonForm({ user, children, action, color, description, saving, onSubmit }: Props) {
  const field = useFocusOnArrival<HTMLTextAreaElement>();
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const fits = Reason.safeParse(reason).success;
  const submit = () => {
    setTried(true);
    if (fits && !saving) onSubmit(reason);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="user-subject">
        {user.username} <span className="user-id">{user.userId}</span>
      </p>
      <p className="user-quiet">{children}</p>
      <FormFields saving={saving}>
        <Textarea
          ref={field}
          label="Reason"
          data-autofocus
          description={description ?? 'Saved in the audit log.'}
          required
          mt="md"
          rows={3}
          maxLength={longestReason}
          value={reason}
          error={tried && !fits ? formatReason(reason) : undefined}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </FormFields>
      <ModalActions waiting={saving}>
        <Button type="submit" {...(color && { color })} loading={saving}>
          {action}
        </Button>
      </ModalActions>
    </form>
  );
}
