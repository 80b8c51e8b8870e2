import * as contract from 'contract/security-factors.ts';
import type { FastifyRequest } from 'fastify';
import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { clientOf, sendToken } from '#server/core/auth/cookies.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Throttle } from '#server/core/auth/throttle.ts';
import { hasPasskey } from '#server/core/auth/factors/passkey-queries.ts';
import { countRecoveryCodes, selectTotp } from '#server/core/auth/factors/queries.ts';
import { confirmApp, removeApp, replaceOwnRecoveryCodes, startApp, stepUp } from '#server/core/auth/factors/service.ts';

type Deps = {
  database: Database;
  throttle: Throttle;
  config: Pick<Config, 'session' | 'proof'>;
};

export function factorRoutes(api: Api, { database, throttle, config }: Deps) {
  const { session: lifetime, proof } = config;
  const deps = { database, throttle };
  const renewal = (actor: Actor, request: FastifyRequest) => ({ actor, client: clientOf(request), lifetime });

  api.serve(contract.readFactors, async ({ actor }) => ({
    factors: {
      appSince: (await selectTotp(database, actor.id))?.confirmedAt ?? null,
      recoveryCodesLeft: await countRecoveryCodes(database, actor.id),
      hasPasskey: await hasPasskey(database, actor.id),
      required: proof.factorRequired,
    },
  }));

  api.serve(contract.startApp, ({ actor }) => startApp(database, actor));

  api.serve(contract.confirmApp, async ({ body, actor, request, reply }) => {
    const { session, recoveryCodes } = await confirmApp(deps, { ...body, ...renewal(actor, request) });
    return { ...sendToken(reply, session), recoveryCodes };
  });

  api.serve(contract.removeApp, async ({ body, actor, request, reply }) =>
    sendToken(reply, await removeApp(deps, { ...body, ...renewal(actor, request) })),
  );

  api.serve(contract.renewRecoveryCodes, ({ actor }) => replaceOwnRecoveryCodes(database, actor));

  api.serve(contract.stepUp, async ({ body, actor, request, reply }) =>
    sendToken(reply, await stepUp(deps, { ...body, ...renewal(actor, request) })),
  );
}
