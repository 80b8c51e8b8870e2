import * as contract from 'contract/security-passkeys.ts';
import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { clientOf, deviceOf, sendSession, sendToken } from '#server/core/auth/cookies.ts';
import type { Throttle } from '#server/core/auth/throttle.ts';
import { newChallenge } from '#server/core/auth/factors/challenges.ts';
import { selectPasskeys } from '#server/core/auth/factors/passkey-queries.ts';
import { addPasskey, removePasskey, signInWithPasskey } from '#server/core/auth/factors/passkeys.ts';

type Deps = { database: Database; strangers: Database; throttle: Throttle; config: Pick<Config, 'session'> };

export function passkeyRoutes(api: Api, { database, strangers, throttle, config }: Deps) {
  const { session: lifetime } = config;
  const deps = { database, strangers, throttle };

  api.serve(contract.listPasskeys, async ({ actor }) => ({ passkeys: await selectPasskeys(database, actor.id) }));

  api.serve(contract.startPasskey, async ({ actor }) => ({
    challenge: newChallenge(`add ${actor.id}`),
  }));

  api.serve(contract.addPasskey, async ({ body, actor, request, reply }) => {
    const given = { ...body, actor, client: clientOf(request), lifetime };
    const { session, recoveryCodes } = await addPasskey(database, given);
    return { ...sendToken(reply, session), recoveryCodes };
  });

  api.serve(contract.removePasskey, async ({ params, body, actor, request, reply }) => {
    const removal = { ...params, ...body, actor, client: clientOf(request), lifetime };
    return sendToken(reply, await removePasskey(deps, removal));
  });

  api.serve(contract.startPasskeyLogin, async () => ({ challenge: newChallenge('login') }));

  api.serve(contract.passkeyLogin, async ({ body, request, reply }) => {
    const login = { ...body, client: clientOf(request), address: request.ip, device: deviceOf(request), lifetime };
    return sendSession(reply, await signInWithPasskey(deps, login));
  });
}
