import { randomUUID } from 'node:crypto';
import { ApprovalKind } from '../../contract/src/approvals.ts';
import { connect } from '../../server/src/core/db/db.ts';
import { type Caller, callerAt } from '../processes/caller.ts';
import type { Fixture } from '../processes/fixture.ts';
import type { Matrix } from './endpoints.ts';
import { accountsOf, type Relation, relations } from './relations.ts';
import { approversOf, type Profile, profiles } from './roles.ts';

type World = { fixture: Fixture; address: string; only?: readonly string[] | undefined };
type Request = { kind: ApprovalKind; subject: string; maker: string; isExpired: boolean };
type Pair = { maker: string; decider: string; token: string };
type Pool = ReturnType<typeof connect>['pool'];
type Tools = { fixture: Fixture; caller: Caller; processPool: Pool; matrix: Matrix };

const allowed = 'allowed';

/**
 * Decides requests of every kind as every role and in every relation of the accounts, or in some: by the call, and with
 * the SQL that a compromised API process could send.
 */
export async function decideAll({ fixture, address, only }: World): Promise<Matrix> {
  const matrix: Matrix = { cells: 0, undeclared: [], differing: [] };
  const caller = callerAt(address);
  const accounts = accountsOf(fixture);
  const { database, pool: processPool } = connect({
    url: fixture.url,
    role: 'bursar_app',
    connections: 8,
    statementTimeoutMs: 5_000,
    onLostConnection: () => undefined,
  });
  for (const relation of relations.filter(({ name }) => only?.includes(name) ?? true)) {
    for (const profile of profiles) {
      const { maker, decider } = await relation.arrange(accounts, profile);
      const token = await caller.signIn(decider.username);
      await relation.finish?.(accounts, { maker, decider });
      const pair = { maker: maker.id, decider: decider.id, token };
      await decideKinds({ fixture, caller, processPool, matrix }, pair, { relation, profile });
    }
  }
  await database.destroy();
  return matrix;
}

async function decideKinds(tools: Tools, pair: Pair, { relation, profile }: { relation: Relation; profile: Profile }) {
  const { fixture, matrix } = tools;
  for (const [way, decide] of Object.entries(ways)) {
    const decideOne = async (kind: ApprovalKind) => {
      const who: readonly Profile[] | undefined = approversOf[kind];
      const cell = `${kind}: ${relation.name}, as ${profile}, ${way}`;
      const byRole = who?.includes(profile) ? [] : ['ApproverNotPermitted', 'PermissionDenied'];
      const reasons = [...byRole, ...(way === 'denies by call' ? relation.denying(kind) : relation.approving(kind))];
      const subject = relation.isOwnAccount ? pair.decider : randomUUID();
      const request = { kind, subject, maker: pair.maker, isExpired: relation.isExpired ?? false };
      const found = await decide(tools, pair, await insertRequest(fixture, request));
      matrix.cells += 1;
      if (who === undefined) matrix.undeclared.push(`${cell}: the kind is not in the table`);
      const isRight = reasons.length === 0 ? found === allowed : reasons.includes(found);
      if (!isRight) matrix.differing.push(`${cell}: ${found} instead of ${reasons.join(' or ') || allowed}`);
    };
    await Promise.all(ApprovalKind.options.map(decideOne));
    await voidRequests(fixture, pair.maker);
  }
}

const ways = {
  'approves by call': async ({ caller }: Tools, { token }: Pair, id: string) => {
    const body = { decision: 'approve', digest: '' };
    const { json } = await caller.call('POST', `/api/approvals/${id}/decide`, { token, body });
    // Nothing stands behind these requests, which shows only after the rules have allowed the approval.
    return json['code'] === 'ApprovalVoid' ? allowed : String(json['code']);
  },
  'approves in SQL': async ({ processPool }: Tools, { decider }: Pair, id: string) => {
    const client = await processPool.connect();
    try {
      await client.query('begin');
      await client.query(`update approval set state = 'approved', rule = 'second', decided_by = $1 where id = $2`, [
        decider,
        id,
      ]);
      return allowed;
    } catch (reason) {
      return reason instanceof Error ? reason.message : String(reason);
    } finally {
      await client.query('rollback');
      client.release();
    }
  },
  'denies by call': async ({ caller }: Tools, { token }: Pair, id: string) => {
    const body = { decision: 'deny', digest: '', reason: 'Not now.' };
    const { status, json } = await caller.call('POST', `/api/approvals/${id}/decide`, { token, body });
    return status === 200 ? allowed : String(json['code']);
  },
};

async function insertRequest({ pool }: Fixture, { kind, subject, maker, isExpired }: Request) {
  const { rows } = await pool.query<{ id: string }>(
    `insert into approval (kind, subject_id, payload, digest, requested_by, requested_at, expires_at)
     values ($1, $2, '{"userUuid": null, "facts": []}', '', $3, now() - interval '2 hours', now() + $4::interval)
     returning id`,
    [kind, subject, maker, isExpired ? '-1 hour' : '1 hour'],
  );
  return rows[0]?.id ?? '';
}

const voidRequests = ({ pool }: Fixture, maker: string) =>
  pool.query(`update approval set state = 'void', decided_at = now() where requested_by = $1 and state = 'waiting'`, [
    maker,
  ]);
