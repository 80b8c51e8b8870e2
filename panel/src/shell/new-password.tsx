import { Button, PasswordInput } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { changePassword, passwordLength } from 'contract/auth.ts';
import { type SubmitEvent, useState } from 'react';
import { toastSuccess } from '#panel/ui/toast.ts';
import type { Failure } from './call.ts';
import { Front, FrontAlert } from './front.tsx';
import { useMe } from './me.ts';
import { mutationFor } from './query.ts';
import { startSession, leave } from './session.ts';
import { pathAfterSignIn } from './return-to.ts';

type Field = 'currentPassword' | 'newPassword' | 'repeated';
type Errors = Partial<Record<Field, string>>;

const { min, max } = passwordLength;

function errorsIn({ currentPassword, newPassword, repeated }: Record<Field, string>): Errors {
  return {
    ...(!currentPassword && { currentPassword: 'Enter your current password.' }),
    ...newPasswordErrors(newPassword),
    ...(repeated !== newPassword && { repeated: "Passwords don't match" }),
    ...(!repeated && { repeated: 'Enter the new password again.' }),
  };
}

function newPasswordErrors(newPassword: string): Errors {
  if (!newPassword) return { newPassword: 'Enter a new password.' };
  const fits = newPassword.length >= min && newPassword.length <= max;
  return fits ? {} : { newPassword: `Use ${min} to ${max} characters.` };
}

/** Refusals about one field are shown at that field, the others above the form. */
const fieldOf: Partial<Record<Failure<typeof changePassword>['code'], Field>> = {
  CurrentPasswordWrong: 'currentPassword',
  PasswordUnchanged: 'newPassword',
  PasswordTooCommon: 'newPassword',
};

function useNewPassword() {
  const { history } = useRouter();
  const search = useSearch({ strict: false });
  const proceed = () => history.push(pathAfterSignIn(search));
  const [values, setValues] = useState<Record<Field, string>>({ currentPassword: '', newPassword: '', repeated: '' });
  const [errors, setErrors] = useState<Errors>({});
  const { mutate, isPending, error } = useMutation({
    ...mutationFor(changePassword),
    onSuccess: ({ token }) => {
      startSession(token);
      toastSuccess('Password changed');
      proceed();
    },
    onError: ({ code, message }) => {
      const field = fieldOf[code];
      if (field) setErrors({ [field]: message });
    },
  });

  function submit(event: SubmitEvent) {
    event.preventDefault();
    const found = errorsIn(values);
    setErrors(found);
    if (isPending || Object.keys(found).length > 0) return;
    mutate({ body: { currentPassword: values.currentPassword, newPassword: values.newPassword } });
  }

  const field = (name: Field) => ({
    name,
    value: values[name],
    error: errors[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      setValues({ ...values, [name]: currentTarget.value });
      setErrors({ ...errors, [name]: undefined });
    },
  });
  return { field, submit, isPending, proceed, trouble: error && !fieldOf[error.code] ? error.message : undefined };
}

export function NewPasswordPage() {
  useDocumentTitle('New password · Bursar');
  const { username, mustChangePassword } = useMe();
  const { field, submit, isPending, proceed, trouble } = useNewPassword();
  const shared = { required: true, withAsterisk: false, size: 'md' } as const;
  return (
    <Front>
      <form className="front-form" noValidate onSubmit={submit} aria-labelledby="new-password-title">
        <h1 id="new-password-title" className="front-title">
          Choose a new password
        </h1>
        <p className="front-line">
          {mustChangePassword
            ? 'Your password was set by another administrator. Choose one that only you know.'
            : 'All your other sessions end when you change it.'}
        </p>
        <FrontAlert id="new-password-alert" message={trouble} />
        {/* Tells a password manager whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <div className="front-fields">
          <PasswordInput
            {...shared}
            {...field('currentPassword')}
            label="Current password"
            autoComplete="current-password"
          />
          <PasswordInput
            {...shared}
            {...field('newPassword')}
            label="New password"
            description={`At least ${min} characters. A few unrelated words are easy to remember.`}
            autoComplete="new-password"
          />
          <PasswordInput {...shared} {...field('repeated')} label="Repeat new password" autoComplete="new-password" />
        </div>
        <Button type="submit" fullWidth size="md" loading={isPending}>
          Save password
        </Button>
      </form>
      <p className="front-foot">
        Signed in as {username}.{' '}
        {!mustChangePassword && (
          <button type="button" className="front-link" onClick={proceed}>
            Keep the current password
          </button>
        )}
        <button type="button" className="front-link" onClick={() => void leave()}>
          Logout
        </button>
      </p>
    </Front>
  );
}
