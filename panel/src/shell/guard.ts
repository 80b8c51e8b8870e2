import { redirect } from '@tanstack/react-router';
import { askWhoIsSignedIn } from './session.ts';
import { destination, type Wanted, wanting } from './wanted.ts';

type Visit = { location: { href: string } };

function toLogin(search: Wanted) {
  redirect({ to: '/login', search, replace: true, throw: true });
}

/** Every /dashboard route: a session that the server confirms, with a password of one's own. */
export async function requireSession({ location }: Visit) {
  const me = await askWhoIsSignedIn();
  if (!me) return toLogin(wanting(location.href));
  if (me.mustChangePassword) {
    redirect({ to: '/new-password', search: wanting(location.href), replace: true, throw: true });
  }
}

export async function requireAnySession({ search }: { search: Wanted }) {
  if (!(await askWhoIsSignedIn())) toLogin(search);
}

/** Whoever is signed in has no business at Login; when the server cannot say, Login is what there is. */
export async function skipWhenSignedIn({ search }: { search: Wanted }) {
  const me = await askWhoIsSignedIn().catch(() => undefined);
  if (me) redirect({ href: destination(search), replace: true, throw: true });
}
