import { sql } from 'kysely';
import type { NamedEndpoint } from '../processes/endpoints.ts';
import { isScope, Scope } from '../../contract/src/core/scopes.ts';
import { addApiKey } from '../../server/src/core/testing/api-key.ts';
import { addAdmin, testPassword } from '../../server/src/core/testing/server.ts';
import { type Caller, callerAt } from '../processes/caller.ts';
import { changeSessions, endSessionsIn } from '../../server/src/core/testing/session.ts';
import type { Fixture } from '../processes/fixture.ts';
import { holders, needRecentProof, type Profile, profiles, rightsOf } from './roles.ts';

/** Who calls: what they send as a token, and what has to become of their call of an endpoint. */
export type Identity = {
  name: string;
  token: (endpoint: NamedEndpoint) => string | undefined;
  expected: (endpoint: NamedEndpoint) => string | undefined;
  /** Signs in again, for a call that ended the session. */
  renew?: () => Promise<void>;
};

export const admitted = 'admitted';

type World = { fixture: Fixture; address: string };

/** Adds one caller of every kind. */
export async function addIdentities(world: World): Promise<Identity[]> {
  const caller = callerAt(world.address);
  const signedIn = await Promise.all(
    profiles.map((profile) => withProfile(world, { caller, profile, name: profile, proof: { factor: 'totp' } })),
  );
  return [
    { name: 'anonymous', token: () => undefined, expected: withoutSession },
    { name: 'garbage token', token: () => 'garbage', expected: withoutSession },
    ...signedIn,
    ...(await withoutProof(world, caller)),
    await withTemporaryPassword(world, caller),
    ...(await withoutValidSession(world, { caller, token: await caller.signIn('the.superadmin') })),
    ...(await withKeys(world)),
  ];
}

type Proof = Parameters<typeof changeSessions>[2];
type Chosen = {
  caller: Caller;
  name: string;
  profile: Profile;
  proof: Proof;
  /** The code with which a call is refused that the profile could make with a better proof. */
  lacks?: (endpoint: NamedEndpoint) => string | undefined;
};

/** Signs in a new administrator, whose sessions are then as if they had been proved in this way. */
async function withProfile({ fixture: { owner } }: World, chosen: Chosen): Promise<Identity> {
  const { caller, name, profile, proof, lacks } = chosen;
  const username = `the.${name.toLowerCase().replaceAll(' ', '.')}`;
  const { id } = await addAdmin(owner, { username, ...rightsOf[profile] });
  const signIn = async () => {
    const token = await caller.signIn(username);
    await changeSessions(owner, id, proof);
    return token;
  };
  let token = await signIn();
  return {
    name,
    token: () => token,
    expected: (endpoint) => {
      const { access } = endpoint;
      if (needsKey(access)) return 'KeyRequired';
      if (access === 'anyone') return admitted;
      if (access === 'session') return lacks?.(endpoint) ?? admitted;
      const declared: readonly Profile[] | undefined = holders[access];
      return declared && (declared.includes(profile) ? (lacks?.(endpoint) ?? admitted) : 'PermissionDenied');
    },
    renew: async () => {
      token = await signIn();
    },
  };
}

/** Administrators with every right who did not prove who they are as strongly, or as recently, as some calls need. */
async function withoutProof(world: World, caller: Caller) {
  const anHourAgo = new Date(Date.now() - 3_600_000);
  const profile = 'SuperAdmin';
  return [
    await withProfile(world, {
      caller,
      profile,
      name: 'SuperAdmin without factor',
      proof: {},
      lacks: ({ movesMoney }) => (movesMoney ? 'MfaRequired' : undefined),
    }),
    await withProfile(world, {
      caller,
      profile,
      name: 'SuperAdmin since an hour',
      proof: { factor: 'totp', createdAt: anHourAgo },
      lacks: ({ stepUp, name }) => (stepUp || needRecentProof.includes(name) ? 'StepUpRequired' : undefined),
    }),
  ];
}

async function withTemporaryPassword({ fixture }: World, caller: Caller): Promise<Identity> {
  const username = 'temporary';
  await addAdmin(fixture.owner, { username, role: 'SuperAdmin', temporary: true });
  let token = await caller.signIn(username);
  return {
    name: 'temporary password',
    token: () => token,
    expected: ({ access }) => {
      if (needsKey(access)) return 'KeyRequired';
      return access === 'anyone' || access === 'session' ? admitted : 'PasswordChangeRequired';
    },
    renew: async () => {
      token = await caller.signIn(username);
    },
  };
}

type Ended = { id: string; username: string; own: string };
type SignedIn = { caller: Caller; token: string };

/** Administrators whose sessions ended in each possible way. */
async function withoutValidSession(
  { fixture: { pool, owner }, address }: World,
  { caller, token }: SignedIn,
): Promise<Identity[]> {
  const without = async (name: string, end: (ended: Ended) => Promise<unknown>) => {
    const username = name.replaceAll(' ', '.');
    // One who may not approve can be deleted without a second approver.
    const { id } = await addAdmin(owner, { username, permissionSet: 'Support' });
    const own = await caller.signIn(username);
    await end({ id, username, own });
    return { name, token: () => own, expected: withoutSession };
  };
  return [
    await without('idle session', ({ id }) =>
      pool.query(`update session set last_used_at = now() - interval '31 minutes' where admin_id = $1`, [id]),
    ),
    await without('expired session', ({ id }) => endSessionsIn(owner, id, 0)),
    await without('signed out', ({ own }) => caller.call('POST', '/api/auth/logout', { token: own })),
    await without('deleted', ({ username }) => caller.call('POST', '/api/admin/delete', { token, body: { username } })),
    await without('rights changed', ({ id }) =>
      caller.call('PATCH', `/api/admin/${id}`, { token, body: { permissionSet: 'Auditor', version: 1 } }),
    ),
    { name: 'token without its cookie', token: await stolenToken(address), expected: withoutSession },
  ];
}

/** Returns the token of a browser, which is worth nothing without the cookie. */
async function stolenToken(address: string) {
  const response = await fetch(`${address}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ username: 'the.superadmin', password: testPassword }),
  });
  const { token } = (await response.json()) as { token: string };
  return () => token;
}

async function withKeys({ fixture: { owner, pool } }: World): Promise<Identity[]> {
  const secretOf = async (scopes: Scope[]) => (await addApiKey(owner, { scopes, requestsPerMinute: 100_000 })).secret;
  const own = new Map<string, string>();
  const others = new Map<string, string>();
  for (const scope of Scope.options) {
    own.set(scope, await secretOf([scope]));
    others.set(scope, await secretOf(Scope.options.filter((one) => one !== scope)));
  }
  const any = await secretOf(['events:read']);
  const invalid = async (name: string, statement: string) => {
    const { id, secret } = await addApiKey(owner, { scopes: Scope.options });
    const { rows } = await pool.query<{ by: string }>('select created_by as by from api_key where id = $1', [id]);
    await owner.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      await sql.raw(statement.replace('$1', `'${id}'`).replace('$2', `'${rows[0]?.by}'`)).execute(tx);
    });
    return { name, token: () => secret, expected: withoutKey };
  };
  return [
    {
      name: 'key with the scope',
      token: ({ access }) => own.get(access) ?? any,
      expected: ({ access }) => (needsKey(access) ? admitted : withoutKey({ access })),
    },
    {
      name: 'key with all other scopes',
      token: ({ access }) => others.get(access) ?? any,
      expected: ({ access }) => {
        if (isScope(access)) return 'ScopeMissing';
        return access === 'key' ? admitted : withoutKey({ access });
      },
    },
    await invalid('expired key', `update api_key set expires_at = now() where id = $1`),
    await invalid('revoked key', `update api_key set revoked_at = now(), revoked_by = $2 where id = $1`),
    await invalid('key without approval', `update api_key_secret set approved_at = null where api_key_id = $1`),
    await invalid('replaced secret', `update api_key_secret set valid_until = now() where api_key_id = $1`),
  ];
}

type Access = Pick<NamedEndpoint, 'access'>;

const needsKey = (access: NamedEndpoint['access']) => access === 'key' || isScope(access);

function withoutSession({ access }: Access) {
  if (access === 'anyone') return admitted;
  return needsKey(access) ? 'KeyRequired' : 'SignInRequired';
}

/** A key that is not valid for a call is treated as no key, and never as a session. */
const withoutKey = withoutSession;
