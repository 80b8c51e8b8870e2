import { useRouter, useSearch } from '@tanstack/react-router';
import { LoginPage } from './login.tsx';
import { destination } from './wanted.ts';

/** Login after a session in the same tab, when the whole app is already loaded. */
export function LoginRoute() {
  const { navigate } = useRouter();
  const search = useSearch({ strict: false });
  return <LoginPage onSignedIn={() => navigate({ href: destination(search) })} />;
}
