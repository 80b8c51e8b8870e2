import { formatFinding } from 'contract/audit-findings.ts';
import { findUnsigned } from '#server/core/approvals/unsigned.ts';
import type { Config, WorkerConfig } from '#server/config.ts';
import { signRestore } from '#server/core/audit/restore.ts';
import { verifyEverything } from '#server/core/audit/verification.ts';
import { openPasswordHash } from '#server/core/auth/credentials.ts';
import { passwordFits } from '#server/core/auth/secrets.ts';
import { selectCredential, selectOwnCredential } from '#server/core/auth/queries.ts';
import type { Database } from '#server/core/db/db.ts';
import { readPasswords } from '#server/prompt.ts';

type Print = (line: string) => void;

/** Verifies the audit log. Throws with everything that was found. */
export async function verifyAuditLog(database: Database, { audit, print }: Pick<Config, 'audit'> & { print: Print }) {
  const { rows, publishedUpTo, findings, restores } = await verifyEverything(database, {
    heads: audit,
    verifyDecisions: findUnsigned,
  });
  for (const { at, lostFrom, signedBy } of restores) {
    print(`Restored from a backup on ${at}: rows from ${lostFrom} on were lost. Signed by ${signedBy.join(' and ')}.`);
  }
  if (findings.length > 0) throw new Error(`The audit log is not sound: ${findings.map(formatFinding).join('; ')}.`);
  print(`The audit log is sound: ${rows} rows, published heads up to row ${publishedUpTo}.`);
}

type Signing = Pick<WorkerConfig, 'audit'> & { usernames: readonly [string, string]; print: Print };

/** Asks two SuperAdmins for their passwords, and signs that the database was restored from a backup. */
export async function signRestoreOfBackup(database: Database, { audit, usernames, print }: Signing) {
  const passwords = await readPasswords(usernames.map((username) => `Password of ${username}: `));
  const [first, second] = [
    await authenticate(database, { username: usernames[0], password: passwords[0] ?? '' }),
    await authenticate(database, { username: usernames[1], password: passwords[1] ?? '' }),
  ];
  if (first.id === second.id) throw new Error('Two different Super Admins must sign.');
  const { lostFrom } = await signRestore(database, { heads: audit, signers: [first, second] });
  print(`Signed by ${first.username} and ${second.username}: rows from ${lostFrom} on were lost in a restore.`);
}

async function authenticate(database: Database, { username, password }: { username: string; password: string }) {
  const credential = await selectCredential(database, username);
  const fits = credential && (await passwordFits(password, openPasswordHash(credential), 'known'));
  if (!fits) throw new Error(`The username or password of ${username} is not right. Nothing was signed.`);
  const admin = await database
    .selectFrom('admin')
    .select(['id', 'username', 'role'])
    .where('id', '=', credential.id)
    .executeTakeFirstOrThrow();
  const { temporary } = await selectOwnCredential(database, admin.id);
  if (admin.role !== 'SuperAdmin' || temporary) {
    throw new Error(`${admin.username} is not a Super Admin with a password of their own. Nothing was signed.`);
  }
  return admin;
}
