import * as contract from 'contract/auth.ts';
import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { changeOwnPassword, signIn, signOut } from './service.ts';
import { clientOf, deviceOf, hostOnly, sendSession, sendToken, sessionCookie } from './cookies.ts';
import type { Throttle } from './throttle.ts';

type Deps = {
  database: Database;
  strangers: Database;
  throttle: Throttle;
  config: Pick<Config, 'session'>;
};

export function authRoutes(api: Api, { database, strangers, throttle, config }: Deps) {
  const deps = { database, strangers, throttle, lifetime: config.session };

  api.serve(contract.login, async ({ body, request, reply }) => {
    const attempt = {
      ...body,
      client: clientOf(request),
      address: request.ip,
      device: deviceOf(request),
    };
    return sendSession(reply, await signIn(deps, attempt));
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
