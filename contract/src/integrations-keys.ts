import { z } from 'zod';
import { Waiting } from './approvals.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { Scope } from './core/scopes.ts';

export type ApiKeyState = z.output<typeof ApiKeyState>;
export const ApiKeyState = z.enum(['active', 'waiting', 'unapproved', 'expired', 'revoked']);

const ApiKeySecret = z.object({
  /** The start of the secret, by which people recognize it. */
  prefix: z.string(),
  createdAt: Timestamp,
  createdBy: z.string(),
  lastUsedAt: Timestamp.nullable(),
  /** When an approved secret stops being valid. Null: with the key. */
  validUntil: Timestamp.nullable(),
  state: z.enum(['active', 'waiting', 'unapproved']),
  /** The request for the approval of this secret. */
  waiting: Waiting.nullable(),
});

export type ApiKey = z.output<typeof ApiKey>;
export const ApiKey = z.object({
  id: z.uuid(),
  name: z.string(),
  scopes: z.array(Scope),
  state: ApiKeyState,
  requestsPerMinute: z.int(),
  expiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
  createdBy: z.string(),
  lastUsedAt: Timestamp.nullable(),
  /** Those of the last 24 hours. */
  requests: z.int(),
  errors: z.int(),
  /** The newest first. Secrets that ended are left out. */
  secrets: z.array(ApiKeySecret),
});

const KeyNotFound = 'This API key does not exist.';
const KeyRevoked = 'This API key was revoked.';
const keyLimits = { name: 80, requestsPerMinute: 100_000, days: 730 } as const;

export const listApiKeys = endpoint({
  feature: 'integrations',
  method: 'GET',
  url: '/api/integrations/keys',
  access: 'audit.read',
  summary: 'List all API keys, newest first, without their secrets',
  answer: z.object({ keys: z.array(ApiKey) }),
  refusals: {},
});

/** `secret` is in this response only; afterwards nobody can read it. */
const CreatedKey = z.object({ key: ApiKey, secret: z.string() });

export const createApiKey = endpoint({
  feature: 'integrations',
  stepUp: true,
  method: 'POST',
  url: '/api/integrations/keys',
  access: 'integrations.write',
  summary: 'Create an API key; one that moves money works after a second approval',
  body: z.strictObject({
    name: z.string().trim().min(1).max(keyLimits.name),
    scopes: z.array(Scope).min(1).max(Scope.options.length),
    /** The days until it expires; without them it never does. */
    days: z.int().min(1).max(keyLimits.days).optional(),
    requestsPerMinute: z.int().min(1).max(keyLimits.requestsPerMinute),
  }),
  answer: CreatedKey,
  refusals: {},
});

export const rotateApiKey = endpoint({
  feature: 'integrations',
  stepUp: true,
  method: 'POST',
  url: '/api/integrations/keys/:id/rotate',
  access: 'integrations.write',
  summary: 'Create a second secret of a key; the current one stays valid for some hours after that',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({
    /** How long the current secret stays valid once the new one is: the platform changes over in that time. */
    hours: z.int().min(0).max(168),
  }),
  answer: CreatedKey,
  refusals: {
    404: { KeyNotFound },
    409: {
      KeyRevoked,
      KeyExpired: 'This API key has expired. Create another.',
      RotationWaiting: 'This API key already has a new secret that waits for a second approver.',
    },
  },
});

export const revokeApiKey = endpoint({
  feature: 'integrations',
  method: 'POST',
  url: '/api/integrations/keys/:id/revoke',
  access: 'integrations.write',
  summary: 'Revoke an API key for good; calls with it are refused from now on',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({ key: ApiKey }),
  refusals: { 404: { KeyNotFound }, 409: { KeyRevoked } },
});

export const readApiKeyUsage = endpoint({
  feature: 'integrations',
  method: 'GET',
  url: '/api/integrations/keys/:id/usage',
  access: 'audit.read',
  summary: 'Read the requests and errors of a key by hour, of the last seven days',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({
    /** Hours without a request are left out. */
    hours: z.array(z.object({ hour: Timestamp, requests: z.int(), errors: z.int() })),
  }),
  refusals: { 404: { KeyNotFound } },
});

export const readOwnKey = endpoint({
  feature: 'integrations',
  method: 'GET',
  url: '/api/platform/key',
  access: 'key',
  summary: 'Read what the calling API key may do; the first call of an integration',
  answer: z.object({
    name: z.string(),
    scopes: z.array(Scope),
    requestsPerMinute: z.int(),
    expiresAt: Timestamp.nullable(),
    secretValidUntil: Timestamp.nullable().describe(
      'When the secret of this call stops being valid, because a newer one replaces it.',
    ),
  }),
  refusals: {},
  example: {
    answer: {
      name: 'Production backend',
      scopes: ['users:write', 'deposits:write', 'events:read'],
      requestsPerMinute: 600,
      expiresAt: '2027-03-01T00:00:00.000Z',
      secretValidUntil: null,
    },
  },
});
