import { unattendedHeader } from 'contract/auth.ts';
import { holds } from 'contract/core/permissions.ts';
import type { FastifyRequest } from 'fastify';
import { recordAudit } from '#server/core/audit/audit.ts';
import { type Actor, findActor } from '#server/core/auth/sessions.ts';
import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';

/** Checks the session and permission that an endpoint requires, before the body is read. Throws a `Refusal`. */
export async function admit(request: FastifyRequest, database: Database, { session }: Pick<Config, 'session'>) {
  const endpoint = request.routeOptions.config.endpoint;
  if (!endpoint) throw new Refusal('NoSuchCall');
  if (endpoint.access === 'anyone') return;

  const actor = await findActor(database, credentialsOf(request), session);
  if (!actor) throw new Refusal('SignInRequired');
  request.actor = actor;
  if (endpoint.access === 'session') return;

  if (actor.mustChangePassword) throw new Refusal('PasswordChangeRequired');
  if (!holds(actor, endpoint.access)) {
    await recordDenial(database, actor, `${endpoint.method} ${endpoint.url}`);
    throw new Refusal('PermissionDenied');
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

export const sessionCookie = '__Host-bursar';

function recordDenial(database: Database, actor: Actor, call: string) {
  return database
    .transaction()
    .execute((tx) => recordAudit(tx, { actorId: actor.id, action: 'auth.denied', details: { call } }));
}
