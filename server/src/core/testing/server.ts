import type { PermissionSet, Role } from 'contract/core/permissions.ts';
import { sql } from 'kysely';
import { sealRecords } from '#server/core/audit/record-seals.ts';
import { insertAdmin } from '#server/features/admins/queries.ts';
import { storeCredential } from '#server/core/auth/credentials.ts';
import { preparePassword } from '#server/core/auth/service.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { holdKeys } from '#server/core/keys.ts';
import { openLog } from '#server/core/log.ts';
import { serve } from '#server/serve.ts';
import { testConfig } from './config.ts';

/** Starts the real server on a free port; tests call it over HTTP. */
export async function testServer(url: string, changes: Record<string, string> = {}, log = openLog('silent')) {
  const { address, stop } = await serve(testConfig(url, changes), log);

  const call = async (method: string, path: string, { token, body, headers }: CallOptions = {}) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json: unknown = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: response.status, headers: response.headers, json: json as Json, text };
  };

  const signIn = async (username: string) => {
    const { json } = await call('POST', '/api/admin/login', { body: { username, password: testPassword } });
    if (typeof json['token'] !== 'string') throw new Error(`${username} could not sign in: ${JSON.stringify(json)}`);
    return json['token'];
  };

  return { address, call, signIn, [Symbol.asyncDispose]: stop };
}

type Json = Record<string, unknown>;
export type CallOptions = { token?: string | undefined; body?: unknown; headers?: Record<string, string> };

export const testPassword = 'a long enough phrase';

/**
 * `testPassword` at the lowest cost that argon2id allows. The cost is part of the hash, so signing in is as cheap: most
 * tests only need a signed-in administrator.
 */
const cheapHash = '$argon2id$v=19$m=8,t=1,p=1$KFCXA4t2JwSsIhL5ZZfusw$cZ8IMDtwErfMT6ZadP0RxJWPKNVvkDdzPCSjU+UTL98';

// Also for programs that add administrators without a server.
holdKeys(testConfig('postgres://unused'));

type NewAdmin = {
  username: string;
  role?: Role;
  permissionSet?: PermissionSet;
  temporary?: boolean;
  /** The administrator who gave the account its right to approve, and when. Without it, it is from the command line. */
  given?: { by: string; hoursAgo: number };
  /** Hashes the password at the cost of production, for tests of passwords and of how long they take. */
  realHash?: boolean;
};

export async function addAdmin(
  database: Database,
  { username, role = 'Admin', permissionSet, temporary = false, given, realHash = false }: NewAdmin,
) {
  const setPassword = realHash
    ? await preparePassword({ password: testPassword, username, temporary })
    : (tx: Tx, adminId: string) => storeCredential(tx, { adminId, passwordHash: cheapHash, temporary });
  return database.transaction().execute(async (tx) => {
    // Only the owner of the tables makes a SuperAdmin without an approval, or an account from the command line.
    await sql`set local role none`.execute(tx);
    const admin = await insertAdmin(tx, { username, role, permissionSet: permissionSet ?? null });
    if (!admin) throw new Error(`${username} exists already.`);
    await setPassword(tx, admin.id);
    const givenAt = sql<Date>`now() - ${given?.hoursAgo ?? 0} * interval '1 hour'`;
    const authority = { adminId: admin.id, cause: 'created', givenBy: given?.by ?? null, givenAt };
    const { id } = await tx.insertInto('adminAuthority').values(authority).returning('id').executeTakeFirstOrThrow();
    await sealRecords(tx, 'authority', [id]);
    return admin;
  });
}
