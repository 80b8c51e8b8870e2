import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readWorkerConfig } from '#server/config.ts';

const { privateKey } = generateKeyPairSync('ed25519');
/** Each database has its own folder, so that tests do not see the files of other tests. */
const exportFolder = (url: string) => path.join(tmpdir(), `bursar-exports-${url.split('/').at(-1)}`);
/** The same in every process of a test or a proof, because one verifies what another has sealed. */
const auditKey = Buffer.alloc(32, 'an audit key for tests').toString('base64');
const secretsKey = Buffer.alloc(32, 'a secrets key for tests').toString('base64');

/** The environment variables of a process under test: generated keys, any free port and a silent log. */
export function testVariables(url: string, changes: Record<string, string> = {}) {
  return {
    DATABASE_URL: url,
    // The tests use one login, the superuser of the cluster.
    BURSAR_DATABASE_LOGINS: 'any',
    PORT: '0',
    LOG_LEVEL: 'silent',
    BURSAR_AUDIT_KEY: auditKey,
    BURSAR_AUDIT_SIGNING_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    BURSAR_AUDIT_HEAD_FILE: path.join(tmpdir(), `bursar-heads-${randomBytes(6).toString('hex')}.jsonl`),
    BURSAR_SECRETS_KEY: secretsKey,
    BURSAR_SECOND_FACTOR: 'optional',
    // Most tests and proofs sign in once and act for longer than five minutes.
    BURSAR_STEP_UP_MINUTES: '1000',
    BURSAR_EXPORT_FOLDER: exportFolder(url),
    BURSAR_ARCHIVE_FOLDER: `${exportFolder(url)}-archive`,
    ...changes,
  };
}

export const testConfig = (url: string, changes: Record<string, string> = {}) =>
  readWorkerConfig(testVariables(url, changes));
