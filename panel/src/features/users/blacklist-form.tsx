import { Textarea } from '@mantine/core';
import { Reason, type User } from 'contract/users.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { useSetBlacklisted } from './api.ts';

type Props = { user: User; blacklisted: boolean; onClose: () => void };

const longestReason = 500;
const consequences = {
  blacklist: 'Excluded from payouts, distributions and bonuses until removed from the blacklist.',
  unblacklist: 'Payouts, distributions and bonuses include them again from the next run on.',
};

const formatReason = (reason: string) =>
  reason.trim() === '' ? 'Enter a reason.' : 'Give a reason of at least three characters.';

/** Mounted only while the modal is open, so that the next reason starts empty. */
export function BlacklistForm({ user, blacklisted, onClose }: Props) {
  const field = useFocusOnArrival<HTMLTextAreaElement>();
  const setting = useSetBlacklisted({ onDone: onClose });
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const fits = Reason.safeParse(reason).success;
  const submit = () => {
    setTried(true);
    if (fits && !setting.isPending) setting.mutate({ params: { id: user.id }, body: { blacklisted, reason } });
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
      <p className="user-quiet">{consequences[blacklisted ? 'blacklist' : 'unblacklist']}</p>
      <FormFields saving={setting.isPending}>
        <Textarea
          ref={field}
          label="Reason"
          data-autofocus
          description="Saved in the audit log."
          required
          mt="md"
          rows={3}
          maxLength={longestReason}
          value={reason}
          error={tried && !fits ? formatReason(reason) : undefined}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </FormFields>
      <ModalActions waiting={setting.isPending}>
        <Button type="submit" {...(blacklisted && { color: 'red' })} loading={setting.isPending}>
          {blacklisted ? 'Blacklist' : 'Unblacklist'}
        </Button>
      </ModalActions>
    </form>
  );
}
