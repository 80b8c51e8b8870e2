/** The page that was requested before signing in: path and query string. */
export type Wanted = { wanted?: string };

const home = '/dashboard';

/** Accepts only pages of the dashboard: a link to Login must not redirect anywhere else. */
const isOurs = (href: unknown): href is string =>
  typeof href === 'string' &&
  /^\/dashboard(?:[/?#]|$)/.test(href) &&
  !/\/\.{1,2}(?:[/?#]|$)|%2e|\\|\/\//i.test(pathOf(href));

const pathOf = (href: string) => href.split(/[?#]/, 1)[0] ?? '';

export const wantedSearch = (search: Record<string, unknown>): Wanted =>
  isOurs(search['wanted']) ? { wanted: search['wanted'] } : {};

export const wantedFrom = (search: string) => wantedSearch(Object.fromEntries(new URLSearchParams(search)));

/** Omits the dashboard, because it is the default destination. */
export const wanting = (href: string): Wanted => (isOurs(href) && href !== home ? { wanted: href } : {});

export function loginHref(wantedHref: string) {
  const search = new URLSearchParams(wanting(wantedHref)).toString();
  return search ? `/login?${search}` : '/login';
}

export const destination = ({ wanted }: Wanted) => wanted ?? home;
