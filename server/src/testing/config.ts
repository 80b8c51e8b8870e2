import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '#server/config.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const exportFolder = path.join(tmpdir(), `bursar-exports-${randomBytes(6).toString('hex')}`);
const auditKey = randomBytes(32).toString('base64');
const secretsKey = randomBytes(32).toString('base64');

/** The environment of a process under test: keys of its own, any free port, a log that says nothing. */
export function testEnvironment(url: string, changes: Record<string, string> = {}) {
  return {
    DATABASE_URL: url,
    PORT: '0',
    LOG_LEVEL: 'silent',
    BURSAR_AUDIT_KEY: auditKey,
    BURSAR_AUDIT_SIGNING_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    BURSAR_AUDIT_HEAD_FILE: path.join(tmpdir(), `bursar-heads-${randomBytes(6).toString('hex')}.jsonl`),
    BURSAR_SECRETS_KEY: secretsKey,
    BURSAR_EXPORT_FOLDER: exportFolder,
    ...changes,
  };
}

export const testConfig = (url: string, changes: Record<string, string> = {}) =>
  readConfig(testEnvironment(url, changes));
