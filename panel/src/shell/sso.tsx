import { Button } from '@mantine/core';
import { startSso } from 'contract/auth-sso.ts';
import { useEffect, useEffectEvent, useState } from 'react';
import { call, Failure } from './call.ts';
import { finishSingleSignOn, finishSingleSignOnWithCode } from './sign-in.ts';

const failed = 'Single sign-on failed. Start again.';
const loginSearch = 'login-search';

type Props = {
  onSignedIn: () => Promise<unknown>;
  onTrouble: (message: string | undefined) => void;
  /** Called if the account has a second factor and the provider asked for none. */
  onCodeNeeded: (finish: typeof finishSingleSignOnWithCode) => void;
};

/** Leaves for the provider of single sign-on, and signs in when the provider has sent the browser back. */
export function SingleSignOn({ onTrouble, ...rest }: Props) {
  const [pending, setPending] = useState(() => isAnswer(window.location.search));

  const arrive = useEffectEvent((query: string) =>
    finish(query, { ...rest, onTrouble, onAnswered: () => setPending(false) }),
  );

  async function start() {
    setPending(true);
    onTrouble(undefined);
    try {
      const { url } = await call(startSso, {});
      sessionStorage.setItem(loginSearch, window.location.search);
      window.location.assign(url);
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      setPending(false);
      onTrouble(failure.message);
    }
  }

  useEffect(() => {
    const query = takeAnswer();
    if (query !== undefined) void arrive(query);
  }, []);

  return (
    <Button variant="default" fullWidth size="md" loading={pending} onClick={() => void start()}>
      Sign in with SSO
    </Button>
  );
}

type Finishing = Props & { onAnswered: () => void };

async function finish(query: string, { onSignedIn, onTrouble, onCodeNeeded, onAnswered }: Finishing) {
  const refused = await finishSingleSignOn(query);
  onAnswered();
  if (refused?.factor === 'required') onCodeNeeded(finishSingleSignOnWithCode);
  else if (refused) onTrouble(refused.cause ?? failed);
  else await onSignedIn();
}

function isAnswer(search: string) {
  const query = new URLSearchParams(search);
  return query.has('state') && (query.has('code') || query.has('error'));
}

/** Returns the answer of the provider once, and restores the address that Login had before. */
function takeAnswer() {
  const { search, pathname } = window.location;
  if (!isAnswer(search)) return undefined;
  history.replaceState(null, '', `${pathname}${sessionStorage.getItem(loginSearch) ?? ''}`);
  sessionStorage.removeItem(loginSearch);
  return search;
}
