import { sql } from 'kysely';
import type { ApprovalKind } from '../../contract/src/approvals.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import type { Tx } from '../../server/src/core/db/db.ts';
import type { Fixture } from '../processes/fixture.ts';
import { type Profile, rightsOf } from './roles.ts';

type Account = { id: string; username: string };
type Given = { by: string; hoursAgo: number };
type Outcome = (kind: ApprovalKind) => string[];

/** Who made a request and who decides it, and what created whose account. */
export type Relation = {
  name: string;
  arrange: (accounts: Accounts, profile: Profile) => Promise<{ maker: Account; decider: Account }>;
  /** The reasons for which the decider cannot approve, if their role may. Any of them can be answered. */
  approving: Outcome;
  denying: Outcome;
  /** What happens to the request, or to the accounts once the decider has signed in. */
  finish?: (accounts: Accounts, pair: { maker: Account; decider: Account }) => Promise<unknown>;
  isOwnAccount?: true;
  isExpired?: true;
};

type Accounts = ReturnType<typeof accountsOf>;

export function accountsOf({ owner }: Pick<Fixture, 'owner'>) {
  let added = 0;
  const add = (profile: Profile, { given, temporary = false }: { given?: Given; temporary?: boolean } = {}) => {
    added += 1;
    const username = `${profile.toLowerCase()}.${added}`;
    return addAdmin(owner, { username, ...rightsOf[profile], temporary, ...(given && { given }) });
  };
  /** Writes what no command of the product writes in this way. */
  const write = (statements: (tx: Tx) => Promise<unknown>) =>
    owner.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      await statements(tx);
    });
  return {
    add,
    /** Records that somebody else has decided whether the account may approve. */
    decideOn: async (account: Account, { by, state }: { by: string; state: 'approved' | 'denied' }) => {
      const { id: decider } = await add('SuperAdmin');
      const [rule, reason] = state === 'approved' ? ['second', null] : [null, 'No.'];
      await write(async (tx) => {
        const { rows } = await sql<{ id: string }>`
          insert into approval (kind, subject_id, payload, digest, requested_by, expires_at, state, rule, decided_by,
            decided_at, reason)
          values ('account', ${account.id}, '{"userUuid": null, "facts": []}', '', ${by}, now() + interval '1 hour',
            ${state}, ${rule}, ${decider}, now(), ${reason})
          returning id`.execute(tx);
        await sql`insert into admin_authority (admin_id, cause, given_by, given_at, approval_id)
          values (${account.id}, 'widened', ${by}, now() - interval '200 hours', ${rows[0]?.id})`.execute(tx);
      });
    },
    retire: ({ id }: Account) => write((tx) => sql`update admin set retired_at = now() where id = ${id}`.execute(tx)),
    narrow: ({ id }: Account) =>
      write((tx) => sql`update admin set role = 'Admin', permission_set = 'Support' where id = ${id}`.execute(tx)),
  };
}

const none: Outcome = () => [];
const always =
  (...reasons: string[]): Outcome =>
  () =>
    reasons;

const early = 1;
const beforeDecision = 300;
const daysAgo = 73;

export const relations: readonly Relation[] = [
  {
    name: 'strangers',
    arrange: async ({ add }, profile) => ({ maker: await add('SuperAdmin'), decider: await add(profile) }),
    approving: none,
    denying: none,
  },
  {
    name: 'the maker decides',
    arrange: async ({ add }, profile) => {
      const maker = await add(profile);
      return { maker, decider: maker };
    },
    // Only some roles may make every kind of request.
    approving: always('OwnRequest', 'RequesterGone'),
    denying: none,
  },
  {
    name: 'the decider has just created the maker',
    arrange: async ({ add }, profile) => {
      const decider = await add(profile);
      return { decider, maker: await add('SuperAdmin', { given: { by: decider.id, hoursAgo: early } }) };
    },
    approving: always('RequesterUnconfirmed'),
    denying: none,
  },
  {
    name: 'the decider has just created the creator of the maker',
    arrange: async ({ add }, profile) => {
      const decider = await add(profile);
      const between = await add('SuperAdmin', { given: { by: decider.id, hoursAgo: early } });
      return { decider, maker: await add('SuperAdmin', { given: { by: between.id, hoursAgo: early } }) };
    },
    approving: always('RequesterUnconfirmed'),
    denying: none,
  },
  {
    name: 'the decider created the maker, and somebody confirmed the account',
    arrange: async ({ add, decideOn }, profile) => {
      const decider = await add(profile);
      const maker = await add('SuperAdmin', { given: { by: decider.id, hoursAgo: beforeDecision } });
      await decideOn(maker, { by: decider.id, state: 'approved' });
      return { decider, maker };
    },
    approving: none,
    denying: none,
  },
  {
    name: 'the decider created the maker three days ago',
    arrange: async ({ add }, profile) => {
      const decider = await add(profile);
      return { decider, maker: await add('SuperAdmin', { given: { by: decider.id, hoursAgo: daysAgo } }) };
    },
    approving: none,
    denying: none,
  },
  {
    name: 'somebody else has just created the maker',
    arrange: async ({ add }, profile) => {
      const other = await add('SuperAdmin');
      const maker = await add('SuperAdmin', { given: { by: other.id, hoursAgo: early } });
      return { maker, decider: await add(profile) };
    },
    approving: none,
    denying: none,
  },
  {
    name: 'the maker has just created the decider',
    arrange: async ({ add }, profile) => {
      const maker = await add('SuperAdmin');
      return { maker, decider: await add(profile, { given: { by: maker.id, hoursAgo: early } }) };
    },
    approving: always('AccountUnconfirmed'),
    denying: none,
  },
  {
    name: 'the maker created the decider, and somebody confirmed the account',
    arrange: async ({ add, decideOn }, profile) => {
      const maker = await add('SuperAdmin');
      const decider = await add(profile, { given: { by: maker.id, hoursAgo: beforeDecision } });
      await decideOn(decider, { by: maker.id, state: 'approved' });
      return { maker, decider };
    },
    approving: none,
    denying: none,
  },
  {
    name: 'the maker created the decider, and somebody denied the account',
    arrange: async ({ add, decideOn }, profile) => {
      const maker = await add('SuperAdmin');
      const decider = await add(profile, { given: { by: maker.id, hoursAgo: beforeDecision } });
      await decideOn(decider, { by: maker.id, state: 'denied' });
      return { maker, decider };
    },
    approving: always('AccountUnconfirmed'),
    denying: none,
  },
  {
    name: 'somebody else has just created the decider',
    arrange: async ({ add }, profile) => {
      const other = await add('SuperAdmin');
      const decider = await add(profile, { given: { by: other.id, hoursAgo: early } });
      return { maker: await add('SuperAdmin'), decider };
    },
    approving: always('AccountUnconfirmed'),
    denying: none,
  },
  {
    name: 'the password of the decider is temporary',
    arrange: async ({ add }, profile) => ({
      maker: await add('SuperAdmin'),
      decider: await add(profile, { temporary: true }),
    }),
    approving: always('PasswordChangeRequired', 'PasswordTemporary'),
    denying: always('PasswordChangeRequired'),
  },
  {
    name: 'the maker was deleted',
    arrange: async ({ add }, profile) => ({ maker: await add('Admin'), decider: await add(profile) }),
    finish: ({ retire }, { maker }) => retire(maker),
    approving: always('RequesterGone'),
    denying: none,
  },
  {
    name: 'the maker lost the permission',
    arrange: async ({ add }, profile) => ({ maker: await add('SuperAdmin'), decider: await add(profile) }),
    finish: ({ narrow }, { maker }) => narrow(maker),
    approving: always('RequesterGone'),
    denying: none,
  },
  {
    name: 'the decider was deleted',
    arrange: async ({ add }, profile) => ({ maker: await add('SuperAdmin'), decider: await add(profile) }),
    finish: ({ retire }, { decider }) => retire(decider),
    approving: always('SignInRequired', 'ApproverNotPermitted'),
    denying: always('SignInRequired'),
  },
  {
    name: 'the request is about the decider',
    arrange: async ({ add }, profile) => ({ maker: await add('SuperAdmin'), decider: await add(profile) }),
    isOwnAccount: true,
    approving: (kind) => (['grant', 'account', 'recovery'].includes(kind) ? ['OwnAccount'] : []),
    denying: (kind) => (kind === 'demotion' || kind === 'removal' ? ['OwnAccount'] : []),
  },
  {
    name: 'the request has expired',
    arrange: async ({ add }, profile) => ({ maker: await add('SuperAdmin'), decider: await add(profile) }),
    isExpired: true,
    approving: always('ApprovalExpired'),
    denying: always('ApprovalExpired'),
  },
];
