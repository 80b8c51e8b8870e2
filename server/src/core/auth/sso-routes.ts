import * as contract from 'contract/auth-sso.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Config } from '#server/config.ts';
import type { Api } from '#server/core/http/api.ts';
import { Refusal } from '#server/core/refusal.ts';
import { clientOf, deviceOf, hostOnly, sendSession, setCookie } from './cookies.ts';
import type { LaneDeps } from './sign-in-lanes.ts';
import { readSignedCookie, signCookie } from './signed-cookies.ts';
import { openSsoProvider, type Started } from './sso/provider.ts';
import { type Named, signInWithSso, signInWithSsoCode } from './sso/service.ts';

type Deps = LaneDeps & { config: Pick<Config, 'session' | 'sso' | 'proof'> };

const ssoCookie = '__Host-bursar-sso';
const codeCookie = '__Host-bursar-sso-code';
const secondsAtProvider = 600;
const secondsForCode = 300;

/** What a browser keeps while it is at the provider. No other browser can finish what it started. */
const AtProvider = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string(), until: z.number() });

/** Whom the provider has named, until the browser has sent the code of their second factor. */
const PendingSsoCookie = z.strictObject({ adminId: z.uuid(), subject: z.string(), until: z.number() });

export function ssoRoutes(api: Api, { config, ...deps }: Deps) {
  const { sso: settings, session: lifetime } = config;
  const maxAgeSeconds = config.proof.stepUpMinutes * 60;
  const provider = settings && openSsoProvider(settings, maxAgeSeconds);

  api.serve(contract.startSso, async ({ request, reply }) => {
    if (!provider) throw new Refusal('SsoNotConfigured');
    const { url, started } = await provider.start(reportTo(request));
    keep(reply, ssoCookie, { kept: started, seconds: secondsAtProvider });
    return { url };
  });

  api.serve(contract.finishSso, async ({ body, request, reply }) => {
    if (!provider) throw new Refusal('SsoNotConfigured');
    const started = readKept(AtProvider, request.cookies[ssoCookie]);
    reply.clearCookie(ssoCookie, hostOnly);
    if (!started) throw new Refusal('SsoFailed');
    const exchange = () => provider.finish(body.query, started, reportTo(request));
    const outcome = await signInWithSso({ ...deps, lifetime, settings, maxAgeSeconds }, { exchange, ...from(request) });
    if ('token' in outcome) return sendSession(reply, outcome);
    keep(reply, codeCookie, { kept: outcome.named, seconds: secondsForCode });
    throw new Refusal('FactorRequired');
  });

  api.serve(contract.finishSsoWithCode, async ({ body: { code }, request, reply }) => {
    if (!settings) throw new Refusal('SsoNotConfigured');
    const named = readKept(PendingSsoCookie, request.cookies[codeCookie]);
    if (!named) throw new Refusal('SsoFailed');
    const session = await signInWithSsoCode({ ...deps, lifetime, settings }, { named, code, ...from(request) });
    reply.clearCookie(codeCookie, hostOnly);
    return sendSession(reply, session);
  });
}

const from = (request: FastifyRequest) => ({
  client: clientOf(request),
  address: request.ip,
  device: deviceOf(request),
});

type Keeping = { kept: Started | Named; seconds: number };

function keep(reply: FastifyReply, name: string, { kept, seconds }: Keeping) {
  const text = JSON.stringify({ ...kept, until: Date.now() + seconds * 1000 });
  const value = signCookie('single sign-on cookies', Buffer.from(text).toString('base64url'));
  setCookie(reply, name, { value, seconds });
}

/** Returns undefined for a cookie that is another one, not ours, or too old. */
function readKept<T extends { until: number }>(schema: z.ZodType<T>, cookie: string | undefined) {
  const signed = readSignedCookie('single sign-on cookies', cookie);
  if (signed === undefined) return undefined;
  const kept = schema.safeParse(JSON.parse(Buffer.from(signed, 'base64url').toString())).data;
  return kept && kept.until > Date.now() ? kept : undefined;
}

const reportTo =
  ({ log }: FastifyRequest) =>
  (error: unknown, what: string) =>
    log.warn({ error }, what);
