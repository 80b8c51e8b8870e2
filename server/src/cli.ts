#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createAdmin } from 'contract/admins.ts';
import { temporaryPasswordHours } from 'contract/auth.ts';
import { formatDifference } from 'contract/ledger-differences.ts';
import { seedDemoAdmins } from './features/admins/demo.ts';
import { addAdminFromOutside } from './features/admins/first.ts';
import { recoverAdminFromOutside } from './features/admins/recovery.ts';
import { sealEarlierRecords } from './core/audit/record-seals.ts';
import { sealAuditWith } from './core/audit/key.ts';
import { readConfig, readWorkerConfig } from './config.ts';
import { conversions } from './conversions.ts';
import { connect, type Database } from './core/db/db.ts';
import { describeDatabaseError } from './core/db/describe.ts';
import { migrate } from './core/db/migrate.ts';
import { holdKeys } from './core/keys.ts';
import { setupStatements } from './core/db/setup-sql.ts';
import { longestVerificationSeconds, verifyLedger } from './core/ledger/verification.ts';
import { bookQuestions } from './verify.ts';
import { verifyArchives } from './features/runs/archiving/archive.ts';
import { problemFor } from './core/http/problem.ts';
import { Refusal } from './core/refusal.ts';
import { readPassword } from './prompt.ts';
import { installQueue } from './core/queue/install.ts';
import { loadDemo, loadDemoWithoutRuns, loadScale } from './seed/load.ts';
import type { Owner } from './seed/owner.ts';
import { signRestoreOfBackup, verifyAuditLog } from './setup/audit-commands.ts';
import { examine } from './setup/doctor.ts';
import { importFolder } from './setup/import.ts';
import { rotateSecrets } from './setup/rotate.ts';
import { inLines, newKeys, writeSettings } from './setup/init.ts';
import { seedDemoTickets } from './features/tickets/demo.ts';
import { sealDemoSecrets } from './features/users/demo-secrets.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

const usage = `Usage:
  bursar init [--database HOST:PORT/NAME] [--folder PATH]
                                                   write the settings of a new installation, with new keys, to .env
  bursar keys                                      print new keys, for settings that are kept elsewhere
  bursar secrets rotate                            encrypt all secrets with a new key
  bursar setup-sql                                 print what an administrator of the database runs once
  bursar migrate                                   bring the database to this version
  bursar doctor                                    check this installation, and say what to do
  bursar seed demo [--without-runs]                load the demo data into an empty database
  bursar seed scale --users N                      load N made-up users and all that is theirs, to measure with
  bursar admin create --username NAME [--role R]   add an administrator; asks for the password
  bursar admin recover --username NAME             give an administrator who is locked out a temporary password
  bursar import [--dry-run] FOLDER                 import an existing platform, or list all problems of its files
  bursar audit verify                              prove that no audit row was altered, removed or cut off
  bursar audit sign-restore --username A --second B  let two Super Admins sign that a backup was restored
  bursar ledger verify [--full]                    verify the ledger: what is new since the last time, or everything
  bursar archive verify                            verify that the files with the lines of old runs are as they were written`;

type Options = {
  username?: string;
  second?: string;
  role?: string;
  users?: string;
  database?: string;
  folder?: string;
  'without-runs'?: boolean;
  full?: boolean;
  'dry-run'?: boolean;
  /** What follows the command. */
  operand?: string;
};

const commands: Record<string, (options: Options) => Promise<void>> = {
  init: async ({ database, folder }) => {
    const place = await writeSettings({ database, folder });
    print(`Settings and new keys are in .env and .env.worker, readable by you alone. Files will be kept in ${place}.`);
    print('Keep copies of both apart from the database: their keys cannot be made again.');
  },

  keys: async () => print(inLines(newKeys())),

  'secrets rotate': async () => {
    if (!readConfig().previousSecretsKey) throw new Error(howToRotate);
    const unreadable = await withOwner(({ database }) => rotateSecrets({ database, print }));
    if (unreadable > 0) {
      throw new Error(
        `${unreadable} values open with neither key and stay as they are. Keep BURSAR_SECRETS_KEY_PREVIOUS.`,
      );
    }
    print(
      'Every encrypted value opens with the new key alone. Remove BURSAR_SECRETS_KEY_PREVIOUS and restart all programs.',
    );
    print(
      'Sessions from before the restart with the new key then end. Keep the old key as long as backups from before.',
    );
  },

  'setup-sql': async () => {
    print('-- For an administrator of the database, once: the logins and roles of Bursar, and its empty database.');
    for (const statement of setupStatements(readConfig().database)) print(`${statement};`);
  },

  migrate: async () => {
    const config = readConfig();
    sealAuditWith(config.audit.key);
    holdKeys(config);
    const { ownerUrl } = config.database;
    const applied = await migrate(ownerUrl, conversions);
    await installQueue(ownerUrl);
    await withOwner(({ database }) => database.transaction().execute(sealEarlierRecords));
    print(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.');
  },

  doctor: async () => {
    const findings = await examine(readConfig);
    for (const { state, line } of findings) print(`${state.padEnd(7)}  ${line}`);
    const count = (wanted: string) => findings.filter(({ state }) => state === wanted).length;
    print(`${count('ok')} passed, ${count('warning')} warnings, ${count('failure')} failed`);
    if (count('failure') > 0) process.exitCode = 1;
  },

  'seed demo': ({ 'without-runs': withoutRuns }) =>
    withDatabase(async (database) => {
      const signIn = await withOwner((owner) => seedDemoAdmins(owner.database));
      if (!signIn) {
        print('The database has administrators already: nothing was loaded.');
        return;
      }
      await seedDemoTickets(database);
      await withOwner(async (owner) => {
        await (withoutRuns ? loadDemoWithoutRuns : loadDemo)(owner);
        await sealDemoSecrets(owner.database, readConfig().secretsKey);
      });
      print(`Demo data loaded. Sign in as ${signIn.username} with ${signIn.password}`);
    }),

  'seed scale': async ({ users }) => {
    const wanted = Number(users);
    if (!Number.isInteger(wanted) || wanted < 100 || wanted > 100_000_000) throw new Error(usage);
    await withDatabase(async (database) => {
      if (await isInUse(database)) throw new Error('The database has users or tickets already: nothing was loaded.');
    });
    const seconds = await withOwner(async (owner) => {
      await seedDemoAdmins(owner.database);
      const started = performance.now();
      await loadScale(owner, wanted);
      return Math.round((performance.now() - started) / 1000);
    });
    print(`${wanted} users loaded in ${seconds} s.`);
  },

  // As the owner: the login of the API cannot make a SuperAdmin.
  'admin create': ({ username, role }) =>
    withOwner(async ({ database }) => {
      if (!username || (role && role !== 'Admin' && role !== 'SuperAdmin')) throw new Error(usage);
      const password = await readPassword();
      const { admin } = await addAdminFromOutside(database, {
        username,
        password,
        role: role === 'Admin' ? 'Admin' : 'SuperAdmin',
      });
      print(
        `${admin.role} ${admin.username} can sign in within ${temporaryPasswordHours} hours, and will be asked for a new password.`,
      );
    }),

  'admin recover': ({ username }) =>
    withOwner(async ({ database }) => {
      if (!username) throw new Error(usage);
      await recoverAdminFromOutside(database, { username, password: await readPassword() });
      print(`${username} can sign in within ${temporaryPasswordHours} hours, and will be asked for a new password.`);
    }),

  import: async ({ operand: source, 'dry-run': dryRun = false }) => {
    if (source === undefined) throw new Error(usage);
    const { secretsKey } = readConfig();
    const outcome = await withOwner((owner) =>
      importFolder({ ...owner, secretsKey, print }, { folder: source, dryRun }),
    );
    if (outcome === 'problems') process.exitCode = 1;
  },

  'audit verify': () => withDatabase((database) => verifyAuditLog(database, { audit: readConfig().audit, print })),

  'audit sign-restore': ({ username, second }) =>
    withDatabase(async (database) => {
      if (!username || !second) throw new Error(usage);
      await signRestoreOfBackup(database, { audit: readWorkerConfig().audit, usernames: [username, second], print });
    }),

  'archive verify': () =>
    withDatabase(async (database) => {
      const { files, damaged } = await verifyArchives(database, readConfig().archive.folder);
      if (damaged.length > 0) throw new Error(`These files are missing or were changed: ${damaged.join(', ')}`);
      print(`All ${files} files are as they were written.`);
    }),

  'ledger verify': async ({ full }) => {
    const { audit, database: address } = readConfig();
    sealAuditWith(audit.key);
    const { database } = connect({
      url: address.workerUrl,
      role: 'bursar_worker',
      connections: 1,
      statementTimeoutMs: longestVerificationSeconds * 1_000,
      onLostConnection: () => undefined,
    });
    try {
      const form = full ? 'full' : 'incremental';
      const verified = await verifyLedger(database, { form, questions: bookQuestions });
      if (!verified) throw new Error('Another verification is running.');
      const { transfers, differences } = verified;
      if (differences.length > 0) {
        throw new Error(`The ledger is not sound.\n${differences.map(formatDifference).join('\n')}`);
      }
      const what = verified.form === 'full' ? 'all' : 'since the last verification';
      print(`The ledger is sound: ${transfers} transfers (${what}), every balance and total is what they make it.`);
    } finally {
      await database.destroy();
    }
  },
};

const howToRotate =
  'Set BURSAR_SECRETS_KEY_PREVIOUS to the current BURSAR_SECRETS_KEY, and BURSAR_SECRETS_KEY to a new one from ' +
  '"npx bursar keys". Restart all programs with both, and then run this again.';

const longestLoad = 4 * 3_600_000;

/** Runs work with the login that owns the tables: only it can disable their triggers. */
async function withOwner<T>(work: (owner: Owner) => Promise<T>) {
  const settings = { connections: 4, statementTimeoutMs: longestLoad, onLostConnection: () => undefined };
  const config = readConfig();
  sealAuditWith(config.audit.key);
  holdKeys(config);
  const owner = connect({ url: config.database.ownerUrl, ...settings });
  try {
    return await work(owner);
  } finally {
    await owner.database.destroy();
  }
}

async function isInUse(database: Database) {
  const user = await database.selectFrom('platformUser').select('id').limit(1).executeTakeFirst();
  const ticket = await database.selectFrom('ticket').select('id').limit(1).executeTakeFirst();
  return user !== undefined || ticket !== undefined;
}

async function withDatabase(work: (database: Database) => Promise<void>) {
  const config = readConfig();
  sealAuditWith(config.audit.key);
  holdKeys(config);
  const { database } = connect({
    url: config.database.url,
    role: 'bursar_app',
    connections: 2,
    statementTimeoutMs: 600_000,
    onLostConnection: () => undefined,
  });
  try {
    await work(database);
  } finally {
    await database.destroy();
  }
}

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      username: { type: 'string' },
      second: { type: 'string' },
      role: { type: 'string' },
      users: { type: 'string' },
      database: { type: 'string' },
      folder: { type: 'string' },
      'without-runs': { type: 'boolean' },
      full: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    },
  });
  const operand = positionals[0] === 'import' ? positionals.splice(1, 1)[0] : undefined;
  const command = commands[positionals.join(' ')];
  if (!command) throw new Error(usage);
  await command({ ...values, ...(operand !== undefined && { operand }) });
} catch (error) {
  const refused = error instanceof Refusal ? problemFor(error, createAdmin)?.error : undefined;
  process.stderr.write(`${refused ?? describeDatabaseError(error)}\n`);
  process.exitCode = 1;
}
