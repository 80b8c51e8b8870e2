import { Textarea } from '@mantine/core';
import type { Admin } from 'contract/admins.ts';
import { RecoveryReason } from 'contract/admins-recovery.ts';
import { temporaryPasswordHours } from 'contract/auth.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { CopyButton } from '#panel/ui/copy-button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { useCompleteRecovery, useRequestRecovery } from './recovery-api.ts';

const longestReason = 500;

export function RequestForm({ admin, onDone }: { admin: Admin; onDone: () => void }) {
  const field = useFocusOnArrival<HTMLTextAreaElement>();
  const { mutate, isPending, error } = useRequestRecovery({ onDone });
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const fits = RecoveryReason.safeParse(reason).success;
  const submit = () => {
    setTried(true);
    if (fits && !isPending) mutate({ params: { id: admin.id }, body: { reason } });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="admin-question">Recover the account of {admin.username}?</p>
      <p className="admin-consequence">
        Make sure that {admin.username} made this request. Once another Super Admin has approved it, you get a temporary
        password for them. Their sessions end, and their authenticator app, passkeys and recovery codes are removed. All
        Super Admins are notified.
      </p>
      <FormFields saving={isPending}>
        <Textarea
          ref={field}
          label="Reason"
          description="Saved in the audit log and shown to the approver."
          data-autofocus
          required
          mt="md"
          rows={3}
          maxLength={longestReason}
          value={reason}
          error={tried && !fits ? 'Give a reason of at least three characters.' : undefined}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </FormFields>
      {error && (
        <Notice tone="bad" reference={error.reference}>
          {error.message}
        </Notice>
      )}
      <ModalActions waiting={isPending}>
        <Button type="submit" loading={isPending}>
          Request recovery
        </Button>
      </ModalActions>
    </form>
  );
}

type CompleteProps = {
  /** Undefined as soon as the password was shown. */
  id: string | undefined;
  username: string;
  onDone: () => void;
};

export function CompleteForm({ id, username, onDone }: CompleteProps) {
  const { mutate, data, error, isPending } = useCompleteRecovery();
  if (data) return <ShownOnce username={username} password={data.password} onDone={onDone} />;
  return (
    <>
      <p className="admin-question">Set a temporary password for {username}?</p>
      <p className="admin-consequence">
        The current password stops working and all sessions of {username} end. The new password is shown once. Give it
        to {username} in person or on the phone.
      </p>
      {error && (
        <Notice tone="bad" reference={error.reference}>
          {error.message}
        </Notice>
      )}
      <ModalActions waiting={isPending}>
        <Button loading={isPending} onClick={() => !isPending && id !== undefined && mutate({ params: { id } })}>
          Show temporary password
        </Button>
      </ModalActions>
    </>
  );
}

function ShownOnce({ username, password, onDone }: { username: string; password: string; onDone: () => void }) {
  return (
    <>
      <Notice tone="waiting">This password is not shown again.</Notice>
      <div className="admin-secret">
        <code>{password}</code>
        <CopyButton label="Copy password" text={() => password} />
      </div>
      <p className="admin-consequence">
        {username} can sign in with it within {temporaryPasswordHours} hours, and then chooses a new one. Until an
        approver has confirmed the account, {username} cannot approve requests.
      </p>
      <div className="overlay-actions">
        <Button data-autofocus onClick={onDone}>
          Done
        </Button>
      </div>
    </>
  );
}
