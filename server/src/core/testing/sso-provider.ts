import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

export const ssoClient = { id: 'bursar', secret: 'a secret of the provider for Bursar' };

type Person = { username: string; groups: string[] | string; amr?: string[] };

/**
 * Starts a provider of single sign-on on this machine. Browsers that it gets sign in at once, as the subject that
 * `signInAs` names.
 */
export async function testSsoProvider(redirectUrl: string) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, Person>();
  let subject = '';

  const configuration: Configuration = {
    clients: [{ client_id: ssoClient.id, client_secret: ssoClient.secret, redirect_uris: [redirectUrl] }],
    scopes: ['openid', 'profile', 'groups'],
    claims: { openid: ['sub', 'amr'], profile: ['preferred_username'], groups: ['groups'] },
    // The ID token has the claims of the scopes too, and not only the answer about the user.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ['a key of the provider'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, id) => {
      const person = people.get(id);
      if (!person) return undefined;
      const claims = { sub: id, preferred_username: person.username, groups: person.groups };
      return { accountId: id, claims: () => claims };
    },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: ssoClient.id, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid profile groups');
      await grant.save();
      return grant;
    },
  };
  const provider = new Provider(issuer, configuration);
  const signedIn = () => {
    const amr = people.get(subject)?.amr;
    return { accountId: subject, ...(amr && { amr }) };
  };
  const answer = provider.callback();
  server.on('request', (request, response) => {
    const answered = request.url?.startsWith('/interaction/')
      ? provider.interactionFinished(request, response, { login: signedIn() })
      : answer(request, response);
    answered.catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });

  return {
    issuer,
    /** Whom the provider knows. */
    people,
    signInAs(next: string) {
      subject = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Opens a page of the provider as a browser does, until it is sent back, and returns the query of that address. */
export async function visitProvider(url: string, redirectUrl: string) {
  const jar = new Map<string, string>();
  for (let next = url; ; ) {
    if (next.startsWith(redirectUrl)) return new URL(next).search;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const text of response.headers.getSetCookie()) {
      const [name = '', value = ''] = text.split(';', 1)[0]?.split('=') ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    if (!location) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
    next = new URL(location, next).href;
  }
}
