import { Button, TextInput } from '@mantine/core';
import { type SubmitEvent, useEffect, useRef } from 'react';
import { Front, FrontAlert } from './front.tsx';

type LoginCodeProps = {
  trouble: { message: string; cause?: string | undefined } | undefined;
  pending: boolean;
  onCode: (code: string) => void;
  onBack: () => void;
};

/** The second step of the login, for accounts with a second factor. */
export function LoginCode({ trouble, pending, onCode, onBack }: LoginCodeProps) {
  const code = useRef<HTMLInputElement>(null);
  useEffect(() => code.current?.focus(), []);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    onCode(code.current?.value.trim() ?? '');
    code.current?.select();
  }

  return (
    <Front>
      <form className="front-form" noValidate onSubmit={submit} aria-labelledby="login-title">
        <h1 id="login-title" className="front-title">
          Login
        </h1>
        <p className="front-line">
          Enter a code from your authenticator app, or one of your recovery codes. If you use a passkey, go back and
          sign in with it.
        </p>
        <FrontAlert id="login-alert" {...trouble} />
        <div className="front-fields">
          <TextInput
            ref={code}
            label="Code"
            name="code"
            required
            withAsterisk={false}
            size="md"
            aria-describedby="login-alert"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
          />
        </div>
        <Button type="submit" fullWidth size="md" loading={pending}>
          Login
        </Button>
      </form>
      <p className="front-foot">
        <button type="button" className="front-link" onClick={onBack}>
          Back to login
        </button>
      </p>
    </Front>
  );
}
