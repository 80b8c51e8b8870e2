import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { Front, FrontAlert } from './front.tsx';

const emptyFields = 'Please enter username and password.';
const anyFailure = 'Invalid username or password.';
const unreachable = 'The server cannot be reached. Check your connection and try again.';

type Trouble = { words: string; cause?: string | undefined };

type LoginPageProps = {
  /** Fetches what comes after Login, as soon as somebody types. */
  prepare?: () => void;
  onSignedIn: () => Promise<unknown>;
};

/** The first page that anyone loads: it stays light and fetches the rest while somebody types. */
export function LoginPage({ prepare, onSignedIn }: LoginPageProps) {
  useDocumentTitle('Login · Bursar');
  const [trouble, setTrouble] = useState<Trouble>();
  const [pending, setPending] = useState(false);
  const username = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);

  // There is nothing else to do on this page.
  useEffect(() => username.current?.focus(), []);

  async function send(body: { username: string; password: string }) {
    setPending(true);
    try {
      const { signIn } = await import('./sign-in.ts');
      const refused = await signIn(body);
      if (refused) setTrouble({ words: anyFailure, cause: refused.cause });
      else await onSignedIn();
    } catch (cause) {
      console.info('Login could not be loaded', cause);
      setTrouble({ words: anyFailure, cause: unreachable });
    }
    setPending(false);
    password.current?.select();
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (pending) return;
    const body = { username: username.current?.value ?? '', password: password.current?.value ?? '' };
    const empty = [username.current, password.current].find((field) => field?.value === '');
    setTrouble(empty ? { words: emptyFields } : undefined);
    if (empty) empty.focus();
    else void send(body);
  }

  const shared = { required: true, withAsterisk: false, size: 'md', 'aria-describedby': 'login-alert' } as const;
  return (
    <Front>
      <form className="front-form" noValidate onSubmit={submit} onInput={prepare} aria-labelledby="login-title">
        <h1 id="login-title" className="front-title">
          Login
        </h1>
        <FrontAlert id="login-alert" {...trouble} />
        <div className="front-fields">
          <TextInput
            {...shared}
            ref={username}
            label="Username"
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
          />
          <PasswordInput
            {...shared}
            ref={password}
            label="Password"
            name="password"
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide password', tabIndex: 0, 'aria-hidden': false }}
          />
        </div>
        <Button type="submit" fullWidth size="md" loading={pending}>
          Login
        </Button>
      </form>
    </Front>
  );
}
