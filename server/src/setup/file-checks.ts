import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { settingsFile } from '#server/config.ts';
import { builtPanel } from '#server/core/http/panel.ts';
import { failure, type Finding, ok, warning } from './finding.ts';

const oldestNode = 24;

export function checkNode(version = process.versions.node): Finding {
  if (Number.parseInt(version, 10) >= oldestNode) return ok(`Node.js: ${version}`);
  return failure(`Node.js: ${version} is too old. Install Node.js ${oldestNode} or later.`);
}

/** Others must not read the file, because it contains all keys and passwords. */
export async function checkSettingsFile(): Promise<Finding> {
  const found = await stat(settingsFile).catch(() => undefined);
  if (!found) return ok(`Settings file: none in ${process.cwd()}; the settings come from the environment`);
  const others = found.mode & 0o077;
  if (others === 0) return ok(`Settings file: ${settingsFile} is readable by its owner only`);
  return failure(
    `Settings file: others can read ${settingsFile}, which holds all keys. Run "chmod 600 ${settingsFile}".`,
  );
}

export async function checkPanel(): Promise<Finding> {
  const built = await isAllowed(fileURLToPath(new URL('index.html', builtPanel)), constants.R_OK);
  if (built) return ok('Panel: built');
  return warning('Panel: not built, so this machine serves the API only. Run "npm run build".');
}

export async function checkHeadFile(file: string): Promise<Finding> {
  if (await isAllowed(file, constants.W_OK)) return ok(`Audit heads: ${file} can be written`);
  if (await stat(file).catch(() => undefined)) {
    return failure(`Audit heads: ${file} cannot be written. Give it to the account under which the worker runs.`);
  }
  const folder = path.dirname(file);
  if (await isAllowed(folder, constants.W_OK | constants.X_OK)) return ok(`Audit heads: ${folder} can be written`);
  return failure(
    `Audit heads: ${folder} does not exist or cannot be written. Create it for the account under which the worker ` +
      'runs, or change BURSAR_AUDIT_HEAD_FILE.',
  );
}

/** The folder need not exist: the worker creates it with its first export. */
export const checkExportFolder = (folder: string) =>
  checkFolder(folder, { name: 'Exports', account: 'the account of API and worker', variable: 'BURSAR_EXPORT_FOLDER' });

/** The folder need not exist: the worker creates it with its first archive. */
export const checkArchiveFolder = (folder: string) =>
  checkFolder(folder, { name: 'Archive', account: 'the account of the worker', variable: 'BURSAR_ARCHIVE_FOLDER' });

type Folder = { name: string; account: string; variable: string };

async function checkFolder(folder: string, { name, account, variable }: Folder): Promise<Finding> {
  const existing = await nearestExisting(folder);
  if (await isAllowed(existing, constants.W_OK | constants.X_OK)) return ok(`${name}: ${folder} can be written`);
  return failure(`${name}: ${existing} cannot be written. Give ${folder} to ${account}, or change ${variable}.`);
}

async function nearestExisting(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  return found ? folder : nearestExisting(path.dirname(folder));
}

export const isAllowed = (file: string, mode: number) =>
  access(file, mode).then(
    () => true,
    () => false,
  );
