import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { parseRoleRule } from './core/auth/sso/roles.ts';

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').map((item) => item.trim()))
  .transform((items) => items.filter((item) => item !== ''));

const minutes = (byDefault: number) => z.coerce.number().int().min(1).max(100_000).default(byDefault);

const secretsKey = z.base64().refine((text) => Buffer.from(text, 'base64').length === 32, 'not 32 bytes');

const bothOrNone = (one: unknown, other: unknown) => (one === undefined) === (other === undefined);

const ssoNeeds = [
  'BURSAR_SSO_ISSUER',
  'BURSAR_SSO_CLIENT_ID',
  'BURSAR_SSO_CLIENT_SECRET',
  'BURSAR_SSO_PANEL_ORIGIN',
] as const;

const Environment = z
  .object({
    /** The login of the API and of the CLI. */
    DATABASE_URL: z.string().min(1),
    /** The login of the worker, if it has its own. */
    DATABASE_WORKER_URL: z.string().min(1).optional(),
    /** The login that owns the tables and runs the migrations. The API and the worker do not need its rights. */
    DATABASE_OWNER_URL: z.string().min(1).optional(),
    /** `any` lets the API and the worker start with a login that may do more than they need. Only for development. */
    BURSAR_DATABASE_LOGINS: z.enum(['narrow', 'any']).default('narrow'),
    DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(10),
    HOST: z.string().default('127.0.0.1'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    /** Addresses of proxies whose X-Forwarded-For is trusted. */
    BURSAR_TRUSTED_PROXIES: list,
    /** Other origins from which the panel may call the API. */
    BURSAR_PANEL_ORIGINS: list,
    /** The origin of the API, if it differs from the origin that serves the panel. */
    BURSAR_API_ORIGIN: z.union([z.literal(''), z.url()]).default(''),
    BURSAR_SESSION_IDLE_MINUTES: minutes(30),
    BURSAR_SESSION_MINUTES: minutes(12 * 60),
    /** How long ago an administrator may have signed in for the actions that need a recent proof. */
    BURSAR_STEP_UP_MINUTES: minutes(5),
    /** Whether administrators without a second factor can move money. */
    BURSAR_SECOND_FACTOR: z.enum(['required', 'optional']).default('required'),
    BURSAR_AUDIT_KEY: z.base64().refine((text) => Buffer.from(text, 'base64').length >= 32, 'at least 32 bytes'),
    /** Ed25519 in PKCS #8 DER, base64. Only the worker has it: the others verify with the public key. */
    BURSAR_AUDIT_SIGNING_KEY: z.base64().refine(isSigningKey, 'not an Ed25519 key').optional(),
    /** The public key of the signing key, in SPKI DER, base64. */
    BURSAR_AUDIT_VERIFYING_KEY: z.base64().refine(isVerifyingKey, 'not an Ed25519 public key').optional(),
    BURSAR_AUDIT_HEAD_FILE: z.string().min(1),
    /** Encrypts the keys that encrypt users' secrets. */
    BURSAR_SECRETS_KEY: secretsKey,
    /** The previous key, while it is rotated. */
    BURSAR_SECRETS_KEY_PREVIOUS: secretsKey.optional(),
    /** The folder where exports are built and kept for a day. The API and the worker share it. */
    BURSAR_EXPORT_FOLDER: z.string().min(1).default('exports'),
    /**
     * Set for an installation with a single administrator, who can then approve their own requests after this time. At
     * most an hour, because a request expires after two.
     */
    BURSAR_ALONE_AFTER_SECONDS: z.coerce.number().int().min(0).max(3_600).optional(),
    /** Where the lines of old runs are kept once they leave the database. It belongs into the backup. */
    BURSAR_ARCHIVE_FOLDER: z.string().min(1).default('archive'),
    /** How many months the lines of a run stay in the database. */
    BURSAR_KEEP_LINES_MONTHS: z.coerce.number().int().min(3).max(1_200).default(13),
    /** `local` also lets webhooks be sent over http and to this machine. Only for development. */
    BURSAR_WEBHOOK_TARGETS: z.enum(['public', 'local']).default('public'),
    /** How often the worker verifies the whole ledger, in addition to what is new. */
    BURSAR_FULL_VERIFICATION: z.enum(['daily', 'weekly']).default('daily'),
    /** The provider of single sign-on (OpenID Connect), if there is one. */
    BURSAR_SSO_ISSUER: z.url().refine(isSecureIssuer, 'must start with https://').optional(),
    BURSAR_SSO_CLIENT_ID: z.string().min(1).optional(),
    BURSAR_SSO_CLIENT_SECRET: z.string().min(1).optional(),
    /** The origin of the panel, to which the provider sends browsers back. */
    BURSAR_SSO_PANEL_ORIGIN: z.url().optional(),
    BURSAR_SSO_SCOPES: z.string().default('profile'),
    BURSAR_SSO_USERNAME_CLAIM: z.string().min(1).default('preferred_username'),
    BURSAR_SSO_ROLES_CLAIM: z.string().min(1).default('groups'),
    /** Which value of the claim allows which role or permission set, for example `owners=SuperAdmin,staff=Finance`. */
    BURSAR_SSO_ROLES: list.transform((items, context) => items.flatMap((item) => roleRule(item, context))),
    BURSAR_FIRST_ADMIN_USERNAME: z.string().optional(),
    BURSAR_FIRST_ADMIN_PASSWORD: z.string().optional(),
  })
  .refine((env) => bothOrNone(env.BURSAR_FIRST_ADMIN_USERNAME, env.BURSAR_FIRST_ADMIN_PASSWORD), {
    path: ['BURSAR_FIRST_ADMIN_PASSWORD'],
    message: 'goes with BURSAR_FIRST_ADMIN_USERNAME',
  })
  .refine((env) => (env.BURSAR_AUDIT_VERIFYING_KEY ?? env.BURSAR_AUDIT_SIGNING_KEY) !== undefined, {
    path: ['BURSAR_AUDIT_VERIFYING_KEY'],
    message: 'is required',
  })
  .superRefine((env, context) => {
    const missing = ssoNeeds.filter((name) => env[name] === undefined);
    if (missing.length === ssoNeeds.length) return;
    for (const name of missing)
      context.addIssue({ code: 'custom', path: [name], message: 'goes with the other BURSAR_SSO settings' });
    if (env.BURSAR_SSO_ROLES.length === 0) {
      context.addIssue({ code: 'custom', path: ['BURSAR_SSO_ROLES'], message: 'nobody could sign in without it' });
    }
  })
  .refine((env) => env.BURSAR_SECRETS_KEY_PREVIOUS !== env.BURSAR_SECRETS_KEY, {
    path: ['BURSAR_SECRETS_KEY_PREVIOUS'],
    message: 'is the same as BURSAR_SECRETS_KEY',
  });

/** Over http, somebody on the way could read the codes of the provider. This machine is the exception, for tests. */
function isSecureIssuer(url: string) {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1'].includes(hostname));
}

function roleRule(item: string, context: z.RefinementCtx) {
  const rule = parseRoleRule(item);
  if (!rule) context.addIssue({ code: 'custom', message: 'each item is value=Role' });
  return rule ?? [];
}

const signingKeyOf = (text: string) =>
  createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });

const verifyingKeyOf = (text: string) =>
  createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });

function isSigningKey(text: string) {
  return isEd25519(() => signingKeyOf(text));
}

function isVerifyingKey(text: string) {
  return isEd25519(() => verifyingKeyOf(text));
}

function isEd25519(parse: () => KeyObject) {
  try {
    return parse().asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

/** Lists the invalid settings, one per line. It never contains a value, because values may be secrets. */
export class IncompleteConfig extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const lines = faults.map((fault) => `  ${fault}`).join('\n');
    super(`The configuration is not complete:\n${lines}\n("npx bursar init" writes a complete one.)`);
    this.faults = faults;
  }
}

export type Config = ReturnType<typeof readConfig>;

/** Reads the configuration; no other code reads process.env. Throws `IncompleteConfig` if a setting is invalid. */
export function readConfig(environment: NodeJS.ProcessEnv = processEnvironment()) {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) {
    throw new IncompleteConfig(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  }
  const env = parsed.data;
  const signingKey =
    env.BURSAR_AUDIT_SIGNING_KEY === undefined ? undefined : signingKeyOf(env.BURSAR_AUDIT_SIGNING_KEY);
  return {
    database: {
      url: env.DATABASE_URL,
      workerUrl: env.DATABASE_WORKER_URL ?? env.DATABASE_URL,
      ownerUrl: env.DATABASE_OWNER_URL ?? env.DATABASE_URL,
      connections: env.DATABASE_CONNECTIONS,
      logins: env.BURSAR_DATABASE_LOGINS,
    },
    http: {
      host: env.HOST,
      port: env.PORT,
      trustedProxies: env.BURSAR_TRUSTED_PROXIES,
      panelOrigins: env.BURSAR_PANEL_ORIGINS,
      apiOrigin: env.BURSAR_API_ORIGIN,
    },
    logLevel: env.LOG_LEVEL,
    session: { idleMinutes: env.BURSAR_SESSION_IDLE_MINUTES, totalMinutes: env.BURSAR_SESSION_MINUTES },
    proof: { stepUpMinutes: env.BURSAR_STEP_UP_MINUTES, factorRequired: env.BURSAR_SECOND_FACTOR === 'required' },
    audit: {
      key: Buffer.from(env.BURSAR_AUDIT_KEY, 'base64'),
      signingKey,
      verifyingKey: signingKey ? createPublicKey(signingKey) : verifyingKeyOf(env.BURSAR_AUDIT_VERIFYING_KEY ?? ''),
      headFile: env.BURSAR_AUDIT_HEAD_FILE,
    },
    secretsKey: Buffer.from(env.BURSAR_SECRETS_KEY, 'base64'),
    previousSecretsKey:
      env.BURSAR_SECRETS_KEY_PREVIOUS === undefined
        ? undefined
        : Buffer.from(env.BURSAR_SECRETS_KEY_PREVIOUS, 'base64'),
    webhooks: { targets: env.BURSAR_WEBHOOK_TARGETS },
    fourEyes: { aloneAfterSeconds: env.BURSAR_ALONE_AFTER_SECONDS ?? null },
    verification: { fullEvery: env.BURSAR_FULL_VERIFICATION },
    exports: { folder: path.resolve(env.BURSAR_EXPORT_FOLDER) },
    archive: { folder: path.resolve(env.BURSAR_ARCHIVE_FOLDER), keepMonths: env.BURSAR_KEEP_LINES_MONTHS },
    sso: ssoOf(env),
    firstAdmin:
      env.BURSAR_FIRST_ADMIN_USERNAME && env.BURSAR_FIRST_ADMIN_PASSWORD
        ? { username: env.BURSAR_FIRST_ADMIN_USERNAME, password: env.BURSAR_FIRST_ADMIN_PASSWORD }
        : undefined,
  };
}

/** Returns undefined if nothing of single sign-on is set. */
function ssoOf(env: z.output<typeof Environment>) {
  const {
    BURSAR_SSO_ISSUER: issuer,
    BURSAR_SSO_CLIENT_ID: clientId,
    BURSAR_SSO_CLIENT_SECRET: clientSecret,
    BURSAR_SSO_PANEL_ORIGIN: panel,
  } = env;
  if (!issuer || !clientId || !clientSecret || !panel) return undefined;
  return {
    issuer,
    clientId,
    clientSecret,
    redirectUrl: new URL('/login', panel).href,
    scopes: env.BURSAR_SSO_SCOPES,
    usernameClaim: env.BURSAR_SSO_USERNAME_CLAIM,
    rolesClaim: env.BURSAR_SSO_ROLES_CLAIM,
    roles: env.BURSAR_SSO_ROLES,
  };
}

/** The settings file of an installation, in the working directory of its programs. */
export const settingsFile = '.env';

/** The settings that only the worker has: the key with which it signs the heads of the audit log. */
export const workerSettingsFile = '.env.worker';

export type WorkerConfig = Config & { audit: { signingKey: KeyObject } };

/** Reads the configuration of the worker, and of the command that signs a restore beside it. */
export function readWorkerConfig(
  environment: NodeJS.ProcessEnv = processEnvironment([settingsFile, workerSettingsFile]),
): WorkerConfig {
  const { audit, ...config } = readConfig(environment);
  const { signingKey } = audit;
  if (!signingKey) throw new IncompleteConfig(['BURSAR_AUDIT_SIGNING_KEY: is required for the worker']);
  return { ...config, audit: { ...audit, signingKey } };
}

/** Variables that are already set take precedence over the files. */
function processEnvironment(files = [settingsFile]) {
  for (const file of files) if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}
