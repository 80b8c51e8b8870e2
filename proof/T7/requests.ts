import type { Chance } from '../processes/chance.ts';
import { type Maker, type Schema, validValue } from '../processes/values.ts';
import { hostileText, hostileValue, tamper } from './hostile.ts';

type Parameter = { name: string; in: string; schema: Schema };
type Media = Record<string, { schema?: Schema }>;

/** An operation of the OpenAPI document. */
export type Operation = {
  operationId: string;
  method: string;
  path: string;
  parameters: readonly Parameter[];
  requestBody?: { content: Media };
  responses: Record<string, { content: Record<string, { examples?: Record<string, unknown> }> }>;
};

export type Request = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
};

/** How much of the requests is not as the document says. */
const shares = { parameter: 0.2, body: 0.5, wholeBody: 0.06, unknown: 0.04 };

/** Returns a request of the operation, with random, boundary or hostile values in some places. */
export function requestOf({ method, path, parameters, requestBody }: Operation, maker: Maker): Request {
  const { chance } = maker;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_found, name: string) =>
    encodeURIComponent(pathText(valueOf(parameterNamed(parameters, name), maker), chance)),
  );
  const query = new URLSearchParams(
    parameters
      .filter((one) => one.in === 'query' && chance.happens(0.4))
      .flatMap((one) => textsOf(valueOf(one, maker)).map((text) => [one.name, text])),
  );
  if (chance.happens(shares.unknown)) query.append(hostileText(chance), hostileText(chance));
  const key = parameters.find((one) => one.name === 'Idempotency-Key');
  const headers: Record<string, string> = {
    ...(key && chance.happens(0.3) && { 'idempotency-key': chance.one(keys) }),
    ...(chance.happens(0.02) && { accept: chance.one(['text/html', 'image/*', '*/*', 'x']) }),
  };
  return {
    method: method.toUpperCase(),
    path: query.size > 0 ? `${filled}?${query}` : filled,
    ...bodyOf(method, { content: requestBody?.content, headers, maker }),
  };
}

const keys = ['k', 'one key', 'x'.repeat(160), 'x'.repeat(161), '🙂'.slice(0, 0), '\u00e9', "'"];

function parameterNamed(parameters: readonly Parameter[], name: string) {
  const found = parameters.find((one) => one.in === 'path' && one.name === name);
  if (!found) throw new Error(`The document does not describe the parameter ${name}.`);
  return found;
}

function valueOf({ name, schema }: Parameter, maker: Maker) {
  const value = validValue(schema, name, maker);
  return maker.chance.happens(shares.parameter) ? worse(value, maker.chance) : value;
}

const worse = (value: unknown, chance: Chance) =>
  typeof value === 'string' && chance.happens(0.4) ? tamper(value, chance) : hostileValue(chance);

/** An empty path segment and those of dots name another path. */
function pathText(value: unknown, chance: Chance) {
  const [text = ''] = textsOf(value);
  return ['', '.', '..'].includes(text) ? chance.one(['x', '0', '\u0000']) : text;
}

/** A list becomes several parameters of the same name. A half of a surrogate pair cannot be part of a URL. */
const textsOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.flatMap(textsOf)
    : [(typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed()];

type Body = { content: Media | undefined; headers: Record<string, string>; maker: Maker };

function bodyOf(method: string, { content, headers, maker }: Body): Pick<Request, 'headers' | 'body'> {
  const { chance } = maker;
  if (method === 'get') return { headers };
  const [type = 'application/json', media] = Object.entries(content ?? {})[0] ?? [];
  const ofType = { ...headers, 'content-type': chance.happens(0.02) ? chance.one(types) : type };
  if (chance.happens(shares.wholeBody)) return { headers: ofType, body: chance.one(wholeBodies) };
  if (!media) return { headers };
  if (!media.schema) return { headers: ofType, body: Buffer.from(hostileText(chance).repeat(20)) };
  const value = validValue(media.schema, '', maker);
  const changed = chance.happens(shares.body) ? worsened(value, chance) : value;
  return { headers: ofType, body: JSON.stringify(changed) };
}

const types = ['text/plain', 'application/json; charset=utf-16', 'multipart/form-data', 'image/png', 'x', '*/*'];

const wholeBodies = [
  '',
  'null',
  '[]',
  '0',
  '{',
  '{"a":1}}',
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
  '"\\ud800"',
  '{"\\u0000":1}',
  '1e999',
  '['.repeat(100),
  `${'['.repeat(40)}${']'.repeat(40)}`,
  `[${'0,'.repeat(11_000)}0]`,
  `{"a":"${'x'.repeat(70_000)}"}`,
  Buffer.from([0xff, 0xfe, 0x00]),
  '\ufeff{}',
];

/** Replaces, removes or adds one or two fields somewhere in a value. */
function worsened(value: unknown, chance: Chance): unknown {
  const once = worsenedOnce(value, chance);
  return chance.happens(0.3) ? worsenedOnce(once, chance) : once;
}

function worsenedOnce(value: unknown, chance: Chance): unknown {
  if (Array.isArray(value) && value.length > 0 && chance.happens(0.9)) {
    const place = chance.whole(value.length);
    return value.map((item: unknown, at) => (at === place ? worsenedOnce(item, chance) : item));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return worse(value, chance);
  if (chance.happens(0.06)) return { ...value, [hostileText(chance)]: hostileValue(chance) };
  const fields = Object.entries(value as Record<string, unknown>);
  if (fields.length === 0) return value;
  const [name, inner] = chance.one(fields);
  if (chance.happens(0.08)) return Object.fromEntries(fields.filter(([other]) => other !== name));
  return { ...value, [name]: worsenedOnce(inner, chance) };
}
