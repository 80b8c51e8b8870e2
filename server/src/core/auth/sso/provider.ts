import * as oidc from 'openid-client';
import type { Config } from '#server/config.ts';
import { Refusal } from '#server/core/refusal.ts';

export type SsoSettings = NonNullable<Config['sso']>;

/** What the browser must still have when the provider sends it back. */
export type Started = { state: string; nonce: string; verifier: string };

export type Claims = { sub: string; [claim: string]: unknown };

/** Logs what went wrong. The caller only learns that it did. */
type Report = (error: unknown, what: string) => void;

const patienceSeconds = 5;
const scope = (scopes: string) => ['openid', ...scopes.split(/\s+/)].filter((it, at, all) => all.indexOf(it) === at);

/**
 * Speaks OpenID Connect with the provider: authorization code, PKCE and nonce. Asks it to let everyone sign in again
 * whose sign-in there is older than `maxAgeSeconds`. The answer must be checked, because a browser can remove that.
 */
export function openSsoProvider(
  { issuer, clientId, clientSecret, redirectUrl, scopes }: SsoSettings,
  maxAgeSeconds: number,
) {
  let discovered: Promise<oidc.Configuration> | undefined;

  /** Reads the provider's metadata once. A failure is forgotten, so that the next sign-in tries again. */
  function discover(report: Report) {
    const isLocal = new URL(issuer).protocol === 'http:';
    discovered ??= oidc.discovery(new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
      timeout: patienceSeconds,
      // The token endpoint is read over TLS, but a signature that is checked does not depend on it. The library marks
      // http as deprecated, so that nobody uses it by accident; the configuration allows it on this machine only.
      execute: [oidc.enableNonRepudiationChecks, ...(isLocal ? [oidc.allowInsecureRequests] : [])],
    });
    return discovered.catch((error: unknown) => {
      discovered = undefined;
      report(error, 'the provider of single sign-on does not respond');
      throw new Refusal('SsoUnavailable');
    });
  }

  return {
    /** Returns the page of the provider to open, and what the browser must keep meanwhile. */
    async start(report: Report): Promise<{ url: string; started: Started }> {
      const configuration = await discover(report);
      const started = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUrl,
        scope: scope(scopes).join(' '),
        state: started.state,
        nonce: started.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(started.verifier),
        code_challenge_method: 'S256',
        max_age: String(maxAgeSeconds),
      });
      return { url: url.href, started };
    },

    /** Returns the claims about who signed in, or undefined unless this browser started it and the code is valid. */
    async finish(query: string, { state, nonce, verifier }: Started, report: Report): Promise<Claims | undefined> {
      const configuration = await discover(report);
      const address = new URL(redirectUrl);
      address.search = query;
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, address, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new Error('The provider sent no ID token.');
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more = hasMore ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
        // Only the ID token says how and when somebody signed in.
        return { ...more, amr: undefined, auth_time: undefined, ...claims };
      } catch (error) {
        report(error, 'a single sign-on failed');
        return undefined;
      }
    },
  };
}
