import { globSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Endpoint } from 'contract/core/endpoint.ts';
import { isScope } from 'contract/core/scopes.ts';
import { platformCalls, readReference } from 'contract/integrations-reference.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { describeCalls } from './document.ts';

const { server } = await testEnvironment();
const { status, json: document, headers } = await server.call('GET', readReference.url);

type Media = { schema: Record<string, unknown>; example?: unknown; examples?: Record<string, unknown> };
type Operation = {
  operationId: string;
  security: { apiKey: string[] }[];
  parameters: { name: string; in: string }[];
  requestBody?: { description?: string; content: Record<string, Media> };
  responses: Record<string, { description: string; headers?: object; content: Record<string, Media> }>;
};
const paths = document['paths'] as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);
const operationOf = (name: string) => {
  const found = operations.find(({ operationId }) => operationId === name);
  if (!found) throw new Error(`The document has no operation ${name}.`);
  return found;
};

const folder = new URL('../../../../../contract/src/', import.meta.url);
const files = globSync('*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'));
const modules = await Promise.all(
  files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, unknown>),
);
const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'url' in value && 'access' in value;
const endpoints = modules.flatMap((exported) =>
  Object.entries(exported).flatMap(([name, value]) => (isEndpoint(value) ? [[name, value] as const] : [])),
);
const forKeys = endpoints.filter(([, { access }]) => access === 'key' || isScope(access));
const calls: [string, Endpoint][] = Object.entries(platformCalls);

test('anyone gets a valid OpenAPI 3.1 document', async () => {
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('application/json');
  expect(await new Validator().validate(document)).toEqual({ valid: true });
  expect(document['openapi']).toMatch(/^3\.1\./);
});

test('every reference in the document leads to a part of it', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/(?<path>[^"]+)"/g)];
  expect(references.length).toBeGreaterThan(0);
  for (const { groups: { path = '' } = {} } of references) {
    const part = path.split('/').reduce<unknown>((whole, key) => (whole as Record<string, unknown>)[key], document);
    expect(part, path).toBeDefined();
  }
});

test('the document has all calls of API keys under their names, and no other call', () => {
  expect(calls.length).toBeGreaterThan(10);
  const described = operations.map(({ operationId, method, path }) => `${operationId} ${method} ${path}`);
  const wanted = forKeys.map(
    ([name, { method, url }]) => `${name} ${method.toLowerCase()} ${url.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(described.toSorted()).toEqual(wanted.toSorted());
  expect(described.filter((call) => !call.includes(' /api/platform/'))).toEqual([]);
});

test.each(calls)('%s names its scope, and its largest body', (name, { access, bodyLimits }) => {
  const { security, requestBody } = operationOf(name);
  expect(security).toEqual([{ apiKey: access === 'key' ? [] : [access] }]);
  expect(requestBody?.description).toBe(bodyLimits === undefined ? undefined : 'At most 2 MB.');
});

test('only calls that move money accept an Idempotency-Key', () => {
  const accepting = operations.filter(({ parameters }) => parameters.some((one) => one.name === 'Idempotency-Key'));
  expect(accepting.map(({ operationId }) => operationId)).toEqual(['reportOutcome']);
});

test.each(calls)('%s has every refusal with its code and text', (name, { refusals, access }) => {
  const { responses } = operationOf(name);
  const listed = (refused: string | number) => {
    const { description = '', content } = responses[refused] ?? {};
    return { description, ...content?.['application/problem+json'] };
  };
  for (const [refused, codes] of Object.entries(refusals)) {
    for (const [code, text] of Object.entries(codes)) {
      const { description, schema, examples } = listed(refused);
      expect(description).toContain(`\`${code}\`: ${text}`);
      expect(JSON.stringify(schema)).toContain(`"${code}"`);
      expect(examples?.[code]).toMatchObject({ value: { code, error: text, status: Number(refused) } });
    }
  }
  expect(listed(401).description).toContain('KeyRequired');
  expect(listed(401).description).not.toContain('SignInRequired');
  expect(listed(403).description.includes('ScopeMissing')).toBe(access !== 'key');
  expect(responses[503]?.headers).toHaveProperty('Retry-After');
});

test.each(calls)('the example of %s is a request and a response of the call', (name, call) => {
  const { example, params, querystring, body, answer } = call;
  if (!example) throw new Error(`${name} has no example.`);
  for (const [schema, value] of [
    [params, example.params],
    [querystring, example.querystring],
    [body, example.body],
  ] as const) {
    expect(value === undefined, 'a part is missing, or one too many').toBe(schema === undefined);
    if (schema) z.decode(schema, value as never);
  }
  // Encoding drops unknown fields and writes times and amounts as the server does.
  if (!(answer instanceof z.ZodObject)) throw new Error(`${name} does not answer an object.`);
  expect(z.encode(answer, z.decode(answer, example.answer as never))).toEqual(example.answer);
  const { requestBody, responses } = operationOf(name);
  expect(requestBody?.content['application/json']?.example).toEqual(example.body);
  expect(responses[200]?.content['application/json']?.example).toEqual(example.answer);
});

test('every other endpoint can be described as well, with the refusals of its callers', async () => {
  const whole = describeCalls(Object.fromEntries(endpoints)) as unknown as typeof document;
  expect(await new Validator().validate(whole)).toEqual({ valid: true });
  const described = whole['paths'] as typeof paths;
  const refusalsOf = (path: string, method: string) => JSON.stringify(described[path]?.[method]?.responses);
  expect(refusalsOf('/api/users', 'get')).toContain('SignInRequired');
  expect(refusalsOf('/api/users', 'get')).toContain('PermissionDenied');
  expect(refusalsOf('/api/users', 'get')).not.toContain('KeyRequired');
  expect(refusalsOf('/api/auth/me', 'get')).not.toContain('PermissionDenied');
  expect(refusalsOf('/api/health/live', 'get')).not.toContain('SignInRequired');
});

test('a schema describes what is on the wire', () => {
  const { schema } = operationOf('listEvents').responses[200]?.content['application/json'] ?? {};
  expect(schema).toMatchObject({
    properties: {
      cursor: { type: 'string', description: 'Pass it as `after` to continue.' },
      events: { items: { properties: { timestamp: { type: 'string', format: 'date-time', pattern: 'Z$' } } } },
    },
  });
});
