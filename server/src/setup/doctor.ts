import { sealAuditWith } from '#server/core/audit/key.ts';
import { type Config, IncompleteConfig } from '#server/config.ts';
import { holdKeys } from '#server/core/keys.ts';
import type { Database } from '#server/core/db/db.ts';
import {
  checkApi,
  checkAuditKey,
  checkClock,
  checkMigrations,
  checkQueue,
  checkSecretsKey,
  checkServer,
  checkSharedExports,
  checkWorker,
} from './database-checks.ts';
import {
  checkArchiveFolder,
  checkExportFolder,
  checkHeadFile,
  checkNode,
  checkPanel,
  checkSettingsFile,
} from './file-checks.ts';
import { failure, type Finding, ok } from './finding.ts';
import { checkLogin, checkOwner, inOneLine, openFor } from './login-checks.ts';

/** Checks everything that an installation needs and returns one finding per check. It changes nothing. */
export async function examine(readSettings: () => Config): Promise<Finding[]> {
  const machineFindings = [checkNode(), await checkSettingsFile(), await checkPanel()];
  let config: Config;
  try {
    config = readSettings();
  } catch (error) {
    if (!(error instanceof IncompleteConfig)) throw error;
    const faults = error.faults.map((fault) => failure(`Settings: ${fault}`));
    return [...machineFindings, ...faults, failure('Database: not checked, because the settings are incomplete')];
  }
  return [
    ...machineFindings,
    ok('Settings: complete, keys well formed'),
    await checkHeadFile(config.audit.headFile),
    await checkExportFolder(config.exports.folder),
    await checkArchiveFolder(config.archive.folder),
    ...(await examineDatabase(config)),
    await checkApi(config),
  ];
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  await using resources = new AsyncDisposableStack();
  const open = (...given: Parameters<typeof openFor>) => {
    const database = openFor(...given);
    resources.defer(() => database.destroy());
    return database;
  };
  const { url, workerUrl, ownerUrl } = config.database;
  const api = open(url, 'bursar_app');
  const apiLogin = await checkLogin(api, { name: 'API login', variable: 'DATABASE_URL', role: 'bursar_app' });
  const logins = [
    apiLogin,
    await checkLogin(open(workerUrl, 'bursar_worker'), {
      name: 'Worker login',
      variable: 'DATABASE_WORKER_URL',
      role: 'bursar_worker',
    }),
    await checkOwner(ownerUrl),
  ];
  return apiLogin.state === 'failure' ? logins : [...logins, ...(await examineTables(api, config))];
}

async function examineTables(database: Database, config: Config): Promise<Finding[]> {
  sealAuditWith(config.audit.key);
  holdKeys(config);
  const migrated = await guarded('Tables', () => checkMigrations(database));
  const always = [await checkServer(database), await checkClock(database), migrated];
  if (migrated.state === 'failure') return always;
  return [
    ...always,
    await guarded('Audit key', () => checkAuditKey(database)),
    await guarded('Secrets key', () => checkSecretsKey(database)),
    await guarded('Queue', () => checkQueue(config)),
    await guarded('Worker', () => checkWorker(database)),
    await guarded('Shared exports', () => checkSharedExports(database, config)),
  ];
}

/** Turns a check that throws into a failure. */
const guarded = (name: string, check: () => Promise<Finding>) =>
  check().catch((error: unknown) => failure(`${name}: ${inOneLine(error)}`));
