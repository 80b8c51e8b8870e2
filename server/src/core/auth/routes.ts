import * as contract from 'contract/auth.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { sessionCookie } from '#server/core/http/authenticate.ts';
import { changeOwnPassword, signIn, signOut } from './service.ts';
import type { Client } from './sessions.ts';
import { openDeviceCookies } from './devices.ts';
import { networkOf } from './networks.ts';
import type { Throttle } from './throttle.ts';

type Deps = {
  database: Database;
  strangers: Database;
  throttle: Throttle;
  config: Pick<Config, 'session' | 'secretsKey'>;
};

export function authRoutes(api: Api, { database, strangers, throttle, config }: Deps) {
  const deps = { database, strangers, throttle, lifetime: config.session };
  const devices = openDeviceCookies(config.secretsKey);

  api.serve(contract.login, async ({ body, request, reply }) => {
    const device = devices.read(request.cookies[deviceCookie]);
    const started = await signIn(deps, { ...body, client: clientOf(request), address: request.ip, device });
    if (started.device) setCookie(reply, deviceCookie, { value: devices.sign(started.device), days: 180 });
    return sendToken(reply, started);
  });

  api.serve(contract.logout, async ({ actor, reply }) => {
    await database.transaction().execute((tx) => signOut(tx, actor));
    reply.clearCookie(sessionCookie, hostOnly);
    return {};
  });

  api.serve(contract.readMe, async ({ actor }) => ({ me: actor }));

  api.serve(contract.changePassword, async ({ body, actor, request, reply }) =>
    sendToken(reply, await changeOwnPassword(deps, { ...body, actor, client: clientOf(request) })),
  );
}

const deviceCookie = '__Host-bursar-device';

/** The attributes that the `__Host-` prefix requires. Scripts and other sites cannot use the cookie. */
const hostOnly = { path: '/', secure: true, httpOnly: true, sameSite: 'strict' } as const;

function setCookie(reply: FastifyReply, name: string, { value, days }: { value: string; days?: number }) {
  reply.setCookie(name, value, { ...hostOnly, ...(days && { maxAge: days * 86_400 }) });
}

function sendToken(reply: FastifyReply, { token, cookie }: { token: string; cookie: string | undefined }) {
  if (cookie) setCookie(reply, sessionCookie, { value: cookie });
  return { token };
}

/** A browser always sends one of these headers, and no page can prevent that. */
function clientOf({ headers, ip }: FastifyRequest): Client {
  const browser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  return { browser, network: networkOf(ip), device: (headers['user-agent'] ?? 'unknown').slice(0, 200) };
}
