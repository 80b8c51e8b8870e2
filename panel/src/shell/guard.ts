import { redirect } from '@tanstack/react-router';
import { fetchSignedInAdmin } from './session.ts';
import { destination, type Wanted, wanting } from './wanted.ts';

type Visit = { location: { href: string } };

function toLogin(search: Wanted) {
  redirect({ to: '/login', search, replace: true, throw: true });
}

/** Guards every /dashboard route: requires a session that the server confirms and a password of the user's own. */
export async function requireSession({ location }: Visit) {
  const me = await fetchSignedInAdmin();
  if (!me) return toLogin(wanting(location.href));
  if (me.mustChangePassword) {
    redirect({ to: '/new-password', search: wanting(location.href), replace: true, throw: true });
  }
}

export async function requireAnySession({ search }: { search: Wanted }) {
  if (!(await fetchSignedInAdmin())) toLogin(search);
}

/** Redirects from Login if a user is signed in. Shows Login if the server does not respond. */
export async function skipWhenSignedIn({ search }: { search: Wanted }) {
  const me = await fetchSignedInAdmin().catch(() => undefined);
  if (me) redirect({ href: destination(search), replace: true, throw: true });
}
