/** The page that was requested before signing in: path and query string. */
export type ReturnTo = { returnTo?: string };

const home = '/dashboard';

/** Accepts only pages of the dashboard: a link to Login must not redirect anywhere else. */
const isOurs = (href: unknown): href is string =>
  typeof href === 'string' &&
  /^\/dashboard(?:[/?#]|$)/.test(href) &&
  !/\/\.{1,2}(?:[/?#]|$)|%2e|\\|\/\//i.test(pathOf(href));

const pathOf = (href: string) => href.split(/[?#]/, 1)[0] ?? '';

export const parseReturnTo = (search: Record<string, unknown>): ReturnTo =>
  isOurs(search['returnTo']) ? { returnTo: search['returnTo'] } : {};

export const readReturnTo = (search: string) => parseReturnTo(Object.fromEntries(new URLSearchParams(search)));

/** Omits the dashboard, because it is the default destination. */
export const returnToSearch = (href: string): ReturnTo => (isOurs(href) && href !== home ? { returnTo: href } : {});

export function loginHref(href: string) {
  const search = new URLSearchParams(returnToSearch(href)).toString();
  return search ? `/login?${search}` : '/login';
}

export const pathAfterSignIn = ({ returnTo }: ReturnTo) => returnTo ?? home;
