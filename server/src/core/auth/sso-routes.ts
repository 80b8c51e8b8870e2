import * as contract from 'contract/auth-sso.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Config } from '#server/config.ts';
import type { Api } from '#server/core/http/api.ts';
import { Refusal } from '#server/core/refusal.ts';
import { clientOf, deviceOf, hostOnly, sendSession, setCookie } from './cookies.ts';
import type { LaneDeps } from './sign-in-lanes.ts';
import { readSignedCookie, signCookie } from './signed-cookies.ts';
import { openSsoProvider, type Started } from './sso/provider.ts';
import { signInWithSso } from './sso/service.ts';

type Deps = LaneDeps & { config: Pick<Config, 'session' | 'sso'> };

const ssoCookie = '__Host-bursar-sso';
const secondsAtProvider = 600;

const Kept = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), until: z.number() });

export function ssoRoutes(api: Api, { config, ...deps }: Deps) {
  const { sso: settings, session: lifetime } = config;
  const provider = settings && openSsoProvider(settings);

  api.serve(contract.startSso, async ({ request, reply }) => {
    if (!provider) throw new Refusal('SsoNotConfigured');
    const { url, started } = await provider.start(reportTo(request));
    setCookie(reply, ssoCookie, { value: keep(started), seconds: secondsAtProvider });
    return { url };
  });

  api.serve(contract.finishSso, async ({ body, request, reply }) => {
    if (!provider) throw new Refusal('SsoNotConfigured');
    const started = readKept(request.cookies[ssoCookie]);
    reply.clearCookie(ssoCookie, hostOnly);
    if (!started) throw new Refusal('SsoFailed');
    const device = deviceOf(request);
    const exchange = () => provider.finish(body.query, started, reportTo(request));
    const attempt = { exchange, client: clientOf(request), address: request.ip, device };
    return sendSession(reply, await signInWithSso({ ...deps, lifetime, settings }, attempt));
  });
}

/** What a browser keeps while it is at the provider. No other browser can finish what it started. */
function keep(started: Started) {
  const kept = { ...started, until: Date.now() + secondsAtProvider * 1000 };
  return signCookie('single sign-on cookies', Buffer.from(JSON.stringify(kept)).toString('base64url'));
}

function readKept(cookie: string | undefined) {
  const signed = readSignedCookie('single sign-on cookies', cookie);
  if (signed === undefined) return undefined;
  const kept = Kept.parse(JSON.parse(Buffer.from(signed, 'base64url').toString()));
  return kept.until > Date.now() ? kept : undefined;
}

const reportTo =
  ({ log }: FastifyRequest) =>
  (error: unknown, what: string) =>
    log.warn({ error }, what);
