import { unattendedHeader } from 'contract/auth.ts';
import type { Endpoint } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { isScope } from 'contract/core/scopes.ts';
import type { FastifyRequest } from 'fastify';
import { recordDenial } from '#server/core/audit/denials.ts';
import { findApiKey } from '#server/core/auth/api-keys.ts';
import type { ApiKeyUsage } from '#server/core/auth/api-key-usage.ts';
import { sessionCookie } from '#server/core/auth/cookies.ts';
import { type Actor, findActor } from '#server/core/auth/sessions.ts';
import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';

type Deps = { database: Database; config: Pick<Config, 'session' | 'proof'>; usage: ApiKeyUsage };

/**
 * Checks the session and permission, or the API key and scope, that an endpoint requires, before the body is read.
 * Throws a `Refusal`.
 */
export async function admit(request: FastifyRequest, { database, config: { session, proof }, usage }: Deps) {
  const endpoint = request.routeOptions.config.endpoint;
  if (!endpoint) throw new Refusal('NoSuchCall');
  if (endpoint.access === 'anyone') return;
  if (endpoint.access === 'key' || isScope(endpoint.access)) {
    await admitKey(request, endpoint, { database, usage });
    return;
  }

  const actor = await findActor(database, credentialsOf(request), session);
  if (!actor) throw new Refusal('SignInRequired');
  request.actor = actor;
  if (endpoint.access === 'session') {
    // Without a second factor, a new password takes the current one, which proves as much as signing in again.
    if (actor.factor !== null && !actor.mustChangePassword) requireRecentSignIn(actor, endpoint, proof);
    return;
  }

  if (actor.mustChangePassword) throw new Refusal('PasswordChangeRequired');
  if (!holds(actor, endpoint.access)) {
    await recordDenial(database, { actorId: actor.id }, `${endpoint.method} ${endpoint.url}`);
    throw new Refusal('PermissionDenied');
  }
  requireRecentSignIn(actor, endpoint, proof);
}

/** Throws if the session was not proved as strongly, or as recently, as the endpoint requires. */
function requireRecentSignIn(
  actor: Actor,
  { movesMoney, stepUp }: Endpoint,
  { factorRequired, stepUpMinutes }: Config['proof'],
) {
  if (movesMoney && factorRequired && actor.factor === null) throw new Refusal('MfaRequired');
  if (stepUp && actor.sessionAgeSeconds > stepUpMinutes * 60) throw new Refusal('StepUpRequired');
}

type KeyDeps = Omit<Deps, 'config'>;

/** A request of a valid key counts toward its limit, even if it is then refused. */
async function admitKey(request: FastifyRequest, { method, url, access }: Endpoint, { database, usage }: KeyDeps) {
  const apiKey = await findApiKey(database, credentialsOf(request).token);
  if (!apiKey) throw new Refusal('KeyRequired');
  request.apiKey = apiKey;
  await usage.charge(apiKey);
  if (isScope(access) && !apiKey.scopes.includes(access)) {
    await recordDenial(database, { apiKeyId: apiKey.id }, `${method} ${url}`);
    throw new Refusal('ScopeMissing');
  }
}

export function credentialsOf({ headers, cookies }: Pick<FastifyRequest, 'headers' | 'cookies'>) {
  const [scheme = '', token] = (headers.authorization ?? '').split(' ');
  return {
    // RFC 9110: the name of a scheme is case-insensitive.
    token: scheme.toLowerCase() === 'bearer' ? token : undefined,
    cookie: cookies[sessionCookie],
    attended: headers[unattendedHeader] === undefined,
  };
}
