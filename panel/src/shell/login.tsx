import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { lazy, type SubmitEvent, Suspense, useEffect, useRef, useState } from 'react';
import { Front, FrontAlert } from './front.tsx';

const emptyFields = 'Please enter username and password.';
const anyFailure = 'Invalid username or password.';
const unreachable = 'The server cannot be reached. Check your connection and try again.';

// Loaded on demand, because most installations have no single sign-on.
const SingleSignOn = lazy(async () => ({ default: (await import('./sso.tsx')).SingleSignOn }));

/** The server says so in the page. */
const hasSingleSignOn = () => document.querySelector<HTMLMetaElement>('meta[name="single-sign-on"]')?.content === 'yes';

type Trouble = { message: string; cause?: string | undefined };

type LoginPageProps = {
  /** Loads the code that is needed after Login; called on input. */
  prepare?: () => void;
  onSignedIn: () => Promise<unknown>;
};

/** The first page that anyone loads: it is small, and loads the rest while the user types. */
export function LoginPage({ prepare, onSignedIn }: LoginPageProps) {
  useDocumentTitle('Login · Bursar');
  const [trouble, setTrouble] = useState<Trouble>();
  const [pending, setPending] = useState(false);
  const username = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);

  // The form is the only content of this page.
  useEffect(() => username.current?.focus(), []);

  async function send(body: { username: string; password: string }) {
    setPending(true);
    try {
      const { signIn } = await import('./sign-in.ts');
      const refused = await signIn(body);
      if (refused) setTrouble({ message: anyFailure, cause: refused.cause });
      else await onSignedIn();
    } catch (cause) {
      console.info('Login could not be loaded', cause);
      setTrouble({ message: anyFailure, cause: unreachable });
    }
    setPending(false);
    password.current?.select();
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (pending) return;
    const body = { username: username.current?.value ?? '', password: password.current?.value ?? '' };
    const empty = [username.current, password.current].find((field) => field?.value === '');
    setTrouble(empty ? { message: emptyFields } : undefined);
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
        <OtherWays onSignedIn={onSignedIn} setTrouble={setTrouble} />
      </form>
    </Front>
  );
}

type OtherProps = { onSignedIn: () => Promise<unknown>; setTrouble: (trouble: Trouble | undefined) => void };

function OtherWays({ onSignedIn, setTrouble }: OtherProps) {
  if (!hasSingleSignOn()) return null;
  return (
    <Suspense>
      <SingleSignOn
        onSignedIn={onSignedIn}
        onTrouble={(message) => setTrouble(message === undefined ? undefined : { message })}
      />
    </Suspense>
  );
}
