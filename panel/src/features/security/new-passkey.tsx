import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { toastSuccess } from '#panel/ui/toast.ts';
import { useAddPasskey } from './passkeys-api.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

/** Names and creates a passkey. The first factor of an account also gets recovery codes, which are shown once. */
export function NewPasskey({ onClose }: { onClose: () => void }) {
  const { id, username } = useMe();
  const [name, setName] = useState('');
  const [empty, setEmpty] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const field = useFocusOnArrival<HTMLInputElement>();
  const { mutate, isPending, isSuccess, error } = useAddPasskey(({ recoveryCodes }) => {
    toastSuccess('Passkey added');
    if (recoveryCodes) setCodes(recoveryCodes);
    else onClose();
  });
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  const problem =
    error ??
    (isSuccess
      ? { message: 'No passkey was added. Setup was canceled, or this device already has one.', reference: undefined }
      : undefined);
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setEmpty(name.trim() === '');
        if (name.trim() !== '' && !isPending) mutate({ name: name.trim(), admin: { id, username } });
      }}
    >
      <FormFields saving={isPending}>
        <TextInput
          label="Name"
          description="A name to recognize it by, for example “Laptop”."
          required
          data-autofocus
          ref={field}
          maxLength={80}
          value={name}
          error={empty && 'Enter a name.'}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value);
            setEmpty(false);
          }}
        />
      </FormFields>
      {problem && (
        <Notice tone="bad" reference={problem.reference}>
          {problem.message}
        </Notice>
      )}
      <ModalActions waiting={isPending}>
        <Button type="submit" loading={isPending}>
          Add passkey
        </Button>
      </ModalActions>
    </form>
  );
}
