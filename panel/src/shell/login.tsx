import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { lazy, type SubmitEvent, Suspense, useEffect, useRef, useState } from 'react';
import { Front, FrontAlert } from './front.tsx';
import { LoginCode } from './login-code.tsx';
import type { Refused } from './sign-in.ts';

const emptyFields = 'Please enter username and password.';
const anyFailure = 'Invalid username or password.';
const unreachable = 'The server cannot be reached. Check your connection and try again.';

// Loaded on demand, because most installations have no single sign-on.
const SingleSignOn = lazy(async () => ({ default: (await import('./sso.tsx')).SingleSignOn }));

/** The server writes this meta tag into the page if single sign-on is configured. */
const hasSingleSignOn = () => document.querySelector<HTMLMetaElement>('meta[name="single-sign-on"]')?.content === 'yes';

type Trouble = { message: string; cause?: string | undefined };

type Credentials = { username: string; password: string };

/** Returns why the code was refused, or undefined if the administrator is signed in. */
type SendCode = (code: string) => Promise<Refused | undefined>;

type LoginPageProps = {
  /** Loads the code that is needed after Login; called on input. */
  prepare?: () => void;
  onSignedIn: () => Promise<unknown>;
};

function useLogin(onSignedIn: LoginPageProps['onSignedIn']) {
  const [trouble, setTrouble] = useState<Trouble>();
  const [pending, setPending] = useState(false);
  /** Present once the first step was right: the second one sends a code. */
  const [secondStep, setSecondStep] = useState<{ send: SendCode }>();

  async function attempt(request: () => Promise<Refused | undefined>, onRefused: (refused: Refused) => void) {
    setPending(true);
    try {
      const refused = await request();
      if (refused) onRefused(refused);
      else await onSignedIn();
    } catch (cause) {
      console.info('Login could not be loaded', cause);
      setTrouble({ message: anyFailure, cause: unreachable });
    }
    setPending(false);
  }

  async function send(credentials: Credentials) {
    const request = async (code?: string) => {
      const { signIn } = await import('./sign-in.ts');
      return signIn({ ...credentials, ...(code !== undefined && { code }) });
    };
    await attempt(request, ({ factor, cause }) => {
      if (factor === 'required') setSecondStep({ send: request });
      else setTrouble({ message: anyFailure, cause });
    });
  }

  async function sendPasskey() {
    setTrouble(undefined);
    try {
      const { signInWithPasskey } = await import('./passkey.ts');
      if (await signInWithPasskey()) await onSignedIn();
      else setTrouble({ message: 'Passkey sign-in did not finish. Try again, or use your password.' });
    } catch (cause) {
      console.info('Login failed', cause);
      setTrouble({ message: cause instanceof Error ? cause.message : unreachable });
    }
  }

  function sendCode(code: string) {
    setTrouble(code === '' ? { message: 'Enter a code.' } : undefined);
    if (!secondStep || code === '' || pending) return;
    void attempt(
      () => secondStep.send(code),
      ({ cause }) => setTrouble({ message: cause ?? anyFailure }),
    );
  }

  function startOver() {
    setSecondStep(undefined);
    setTrouble(undefined);
  }

  return { trouble, setTrouble, pending, secondStep, setSecondStep, send, sendCode, sendPasskey, startOver };
}

/** The first page that anyone loads: it is small, and loads the rest while the user types. */
export function LoginPage({ prepare, onSignedIn }: LoginPageProps) {
  useDocumentTitle('Login · Bursar');
  const { trouble, setTrouble, pending, secondStep, setSecondStep, send, sendCode, sendPasskey, startOver } =
    useLogin(onSignedIn);
  const username = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);

  // The form is the only content of this page.
  useEffect(() => username.current?.focus(), [secondStep]);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (pending) return;
    const body = { username: username.current?.value ?? '', password: password.current?.value ?? '' };
    const empty = [username.current, password.current].find((field) => field?.value === '');
    setTrouble(empty ? { message: emptyFields } : undefined);
    if (empty) empty.focus();
    else void send(body).then(() => password.current?.select());
  }

  if (secondStep) return <LoginCode trouble={trouble} pending={pending} onCode={sendCode} onBack={startOver} />;

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
        <OtherWays
          onSignedIn={onSignedIn}
          setTrouble={setTrouble}
          onCodeNeeded={(finish) => setSecondStep({ send: finish })}
        />
      </form>
      <PasskeyLink onClick={() => void sendPasskey()} />
    </Front>
  );
}

type OtherProps = {
  onSignedIn: () => Promise<unknown>;
  setTrouble: (trouble: Trouble | undefined) => void;
  onCodeNeeded: (finish: SendCode) => void;
};

function OtherWays({ setTrouble, ...rest }: OtherProps) {
  if (!hasSingleSignOn()) return null;
  return (
    <Suspense>
      <SingleSignOn {...rest} onTrouble={(message) => setTrouble(message === undefined ? undefined : { message })} />
    </Suspense>
  );
}

function PasskeyLink({ onClick }: { onClick: () => void }) {
  if (!('PublicKeyCredential' in window)) return null;
  return (
    <p className="front-foot">
      <button type="button" className="front-link" onClick={onClick}>
        Sign in with a passkey
      </button>
    </p>
  );
}
