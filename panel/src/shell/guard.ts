import { redirect } from '@tanstack/react-router';
import { fetchSignedInAdmin } from './session.ts';
import { pathAfterSignIn, type ReturnTo, returnToSearch } from './return-to.ts';

type Visit = { location: { href: string } };

function toLogin(search: ReturnTo) {
  redirect({ to: '/login', search, replace: true, throw: true });
}

/** Guards every /dashboard route: requires a session that the server confirms and a password of the user's own. */
export async function requireSession({ location }: Visit) {
  const me = await fetchSignedInAdmin();
  if (!me) return toLogin(returnToSearch(location.href));
  if (me.mustChangePassword) {
    redirect({ to: '/new-password', search: returnToSearch(location.href), replace: true, throw: true });
  }
}

export async function requireAnySession({ search }: { search: ReturnTo }) {
  if (!(await fetchSignedInAdmin())) toLogin(search);
}

/** Redirects from Login if a user is signed in. Shows Login if the server does not respond. */
export async function skipWhenSignedIn({ search }: { search: ReturnTo }) {
  const me = await fetchSignedInAdmin().catch(() => undefined);
  if (me) redirect({ href: pathAfterSignIn(search), replace: true, throw: true });
}
