import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { testVariables } from './core/testing/config.ts';

const complete = testVariables('postgres://app:hunter2@db/bursar');

const complaint = (environment: Record<string, string | undefined>) => {
  try {
    readConfig(environment);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'no complaint';
};

test('a complete configuration is read, and defaults are filled in', () => {
  const config = readConfig({ ...complete, PORT: undefined, BURSAR_DATABASE_LOGINS: undefined });
  const url = complete.DATABASE_URL;
  expect(config.database).toEqual({ url, workerUrl: url, ownerUrl: url, connections: 10, logins: 'narrow' });
  expect(config.http).toEqual({ host: '127.0.0.1', port: 3000, trustedProxies: [], panelOrigins: [], apiOrigin: '' });
  expect(config.session).toEqual({ idleMinutes: 30, totalMinutes: 720 });
  expect(config.firstAdmin).toBeUndefined();
});

test('money needs a second factor, and some actions a proof of the last five minutes, unless configured otherwise', () => {
  const defaults = { ...complete, BURSAR_SECOND_FACTOR: undefined, BURSAR_STEP_UP_MINUTES: undefined };
  expect(readConfig(defaults).proof).toEqual({ factorRequired: true, stepUpMinutes: 5 });
  expect(readConfig({ ...complete, BURSAR_SECOND_FACTOR: 'optional' }).proof.factorRequired).toBe(false);
});

test('one error names all missing settings', () => {
  const message = complaint({});
  const required = ['DATABASE_URL', 'BURSAR_AUDIT_KEY', 'BURSAR_AUDIT_HEAD_FILE'];
  for (const name of [...required, 'BURSAR_SECRETS_KEY']) expect(message).toContain(name);
});

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

test.each([
  ['PORT', '70000'],
  ['PORT', 'secret-value'],
  ['LOG_LEVEL', 'secret-value'],
  ['DATABASE_CONNECTIONS', '1'],
  ['BURSAR_API_ORIGIN', 'secret-value'],
  ['BURSAR_SESSION_MINUTES', '0'],
  ['BURSAR_SECOND_FACTOR', 'sometimes'],
  ['BURSAR_AUDIT_KEY', 'secret value'],
  ['BURSAR_AUDIT_KEY', Buffer.from('too short').toString('base64')],
  ['BURSAR_AUDIT_SIGNING_KEY', Buffer.from('no key').toString('base64')],
  ['BURSAR_AUDIT_SIGNING_KEY', privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')],
  ['BURSAR_AUDIT_HEAD_FILE', ''],
  ['BURSAR_SECRETS_KEY', 'secret value'],
  ['BURSAR_SECRETS_KEY', Buffer.from('too short').toString('base64')],
  ['BURSAR_SECRETS_KEY', Buffer.alloc(33, 7).toString('base64')],
])('the error for an invalid %s contains its name but not its value', (name, value) => {
  const message = complaint({ ...complete, [name]: value });
  expect(message).toContain(`${name}: `);
  const secrets = [complete.BURSAR_AUDIT_KEY, complete.BURSAR_SECRETS_KEY, 'hunter2', value].filter(
    (text) => text.length > 5,
  );
  for (const secret of secrets) expect(message).not.toContain(secret);
});

const sso = {
  BURSAR_SSO_ISSUER: 'https://id.example',
  BURSAR_SSO_CLIENT_ID: 'bursar',
  BURSAR_SSO_CLIENT_SECRET: 'secret-value',
  BURSAR_SSO_PANEL_ORIGIN: 'https://bursar.example',
  BURSAR_SSO_ROLES: 'owners=SuperAdmin, staff=Finance',
};

test('single sign-on is off without settings, and complete with all of them', () => {
  expect(readConfig(complete).sso).toBeUndefined();
  expect(readConfig({ ...complete, ...sso }).sso).toMatchObject({
    redirectUrl: 'https://bursar.example/login',
    scopes: 'profile',
    usernameClaim: 'preferred_username',
    rolesClaim: 'groups',
    roles: [
      { value: 'owners', rights: { role: 'SuperAdmin', permissionSet: null } },
      { value: 'staff', rights: { role: 'Admin', permissionSet: 'Finance' } },
    ],
  });
  for (const name of Object.keys(sso)) {
    expect(complaint({ ...complete, ...sso, [name]: undefined })).toContain(`${name}: `);
  }
});

test.each([
  ['BURSAR_SSO_ISSUER', 'http://id.example'],
  ['BURSAR_SSO_ISSUER', 'secret-value'],
  ['BURSAR_SSO_ROLES', 'owners=Owner'],
])('the setting %s with the value %s is invalid', (name, value) => {
  const message = complaint({ ...complete, ...sso, [name]: value });
  expect(message).toContain(`${name}`);
  expect(message).not.toContain('secret-value');
});

test('lists are split at commas, and empty items are dropped', () => {
  const { http } = readConfig({ ...complete, BURSAR_PANEL_ORIGINS: ' https://a.example ,, https://b.example' });
  expect(http.panelOrigins).toEqual(['https://a.example', 'https://b.example']);
});
