import { NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { NewPassword, passwordLength, temporaryPasswordHours, Username } from 'contract/auth.ts';
import type { Role } from 'contract/core/permissions.ts';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { toastFailure } from '#panel/ui/toast.ts';
import { useCreateAdmin } from './api.ts';
import { roleChoices, usernameRule } from './role-text.ts';

type NewAdmin = { username: string; password: string; confirmPassword: string; role: Role };

const untouched: NewAdmin = { username: '', password: '', confirmPassword: '', role: 'Admin' };

function missing({ username, password, confirmPassword }: NewAdmin) {
  return {
    ...(username === '' && { username: 'Enter a username.' }),
    ...(password === '' && { password: 'Enter a password.' }),
    ...(confirmPassword === '' && { confirmPassword: 'Enter the password again.' }),
  };
}

function invalid({ username, password }: NewAdmin) {
  return {
    ...(!Username.safeParse(username).success && { username: usernameRule }),
    ...(!NewPassword.safeParse(password).success && {
      password: `Use ${passwordLength.min} to ${passwordLength.max} characters.`,
    }),
  };
}

/** Mounted only while the modal is open, so that no password is kept after it closes. */
export function AddAdminForm({ onClose }: { onClose: () => void }) {
  const first = useFocusOnArrival<HTMLInputElement>();
  const creating = useCreateAdmin({ onCreated: onClose });
  // A toast reports passwords that differ, before their length is validated.
  const form = useForm({
    initialValues: untouched,
    validate: (admin) => {
      const missingFields = missing(admin);
      const differ = admin.password !== admin.confirmPassword;
      return Object.keys(missingFields).length > 0 || differ ? missingFields : invalid(admin);
    },
  });
  const submit = form.onSubmit((admin) => {
    if (creating.isPending) return;
    if (admin.password === admin.confirmPassword) creating.mutate({ body: admin });
    else toastFailure("Passwords don't match");
  });
  return (
    <form noValidate onSubmit={submit}>
      <FormFields saving={creating.isPending}>
        <TextInput
          label="Username"
          required
          data-autofocus
          ref={first}
          autoComplete="off"
          {...form.getInputProps('username')}
        />
        <PasswordInput
          label="Password"
          description={`Temporary: changed at the first sign-in, within ${temporaryPasswordHours} hours. At least ${passwordLength.min} characters.`}
          required
          mt="md"
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <PasswordInput
          label="Confirm Password"
          required
          mt="md"
          autoComplete="new-password"
          {...form.getInputProps('confirmPassword')}
        />
        <NativeSelect label="Role" mt="md" data={roleChoices} {...form.getInputProps('role')} />
      </FormFields>
      <ModalActions waiting={creating.isPending}>
        <Button type="submit" loading={creating.isPending}>
          Add Admin
        </Button>
      </ModalActions>
    </form>
  );
}
