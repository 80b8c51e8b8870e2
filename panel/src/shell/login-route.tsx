import { useRouter, useSearch } from '@tanstack/react-router';
import { LoginPage } from './login.tsx';
import { pathAfterSignIn } from './return-to.ts';

/** Login after a session in the same tab, when the whole app is already loaded. */
export function LoginRoute() {
  const { navigate } = useRouter();
  const search = useSearch({ strict: false });
  return <LoginPage onSignedIn={() => navigate({ href: pathAfterSignIn(search) })} />;
}
