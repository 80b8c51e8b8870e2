import { type Endpoint, Problem } from 'contract/core/endpoint.ts';
import { isScope } from 'contract/core/scopes.ts';
import manifest from '../../../../package.json' with { type: 'json' };
import { describeRefusals } from './refusals.ts';
import { schemaOf } from './schema.ts';

/** The calls to describe, under their names. */
type Calls = Readonly<Record<string, Endpoint>>;

const introduction = [
  'The platform calls Bursar with an API key, which a Super Admin creates under **Integrations**.',
  'A call that is lost is repeated as it was. The ID of an item is its idempotency key, so nothing is stored twice.',
  'Amounts are decimal text, and times are ISO 8601 in UTC. A field that is missing, unknown or of the wrong type makes the whole call fail with 400.',
];

const keyScheme = {
  type: 'http',
  scheme: 'bearer',
  description: 'The secret of an API key. A key can make the calls of its scopes, and so many of them a minute.',
};

/** Describes calls as an OpenAPI 3.1 document. The product publishes those of API keys. */
export function describeCalls(calls: Calls) {
  const tags = new Set(Object.values(calls).map(tagOf));
  return {
    openapi: '3.1.1',
    info: { title: 'Bursar platform API', version: manifest.version, description: introduction.join('\n\n') },
    servers: [{ url: '/' }],
    tags: [...tags].map((name) => ({ name })),
    paths: describePaths(calls),
    components: { schemas: { Problem: schemaOf(Problem) }, securitySchemes: { apiKey: keyScheme } },
  };
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const tagOf = ({ feature }: Endpoint) => capitalize(feature);

function describePaths(calls: Calls) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, call] of Object.entries(calls)) {
    const path = call.url.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: describeCall(name, call) };
  }
  return paths;
}

function describeCall(name: string, call: Endpoint) {
  const { access, body, upload } = call;
  // A summary is a title and, after a semicolon, what else there is to know.
  const [title = '', ...more] = call.summary.split('; ');
  const isForKeys = access === 'key' || isScope(access);
  const scope = access === 'key' ? 'Any API key can make this call.' : `The API key needs the scope \`${access}\`.`;
  return {
    operationId: name,
    tags: [tagOf(call)],
    summary: title,
    description: [...more.map((text) => `${capitalize(text)}.`), ...(isForKeys ? [scope] : [])].join('\n\n'),
    security: isForKeys ? [{ apiKey: access === 'key' ? [] : [access] }] : [],
    parameters: describeParameters(call),
    ...(body && { requestBody: describeBody(body, call) }),
    ...(upload && { requestBody: { required: true, content: ofTypes(upload.types) } }),
    responses: {
      200: { description: 'The call succeeded.', content: describeAnswer(call) },
      ...describeRefusals(call),
    },
  };
}

const describeBody = (body: NonNullable<Endpoint['body']>, { bodyLimits, example }: Endpoint) => ({
  required: true,
  ...(bodyLimits !== undefined && { description: `At most ${bodyLimits.bytes / 1024 / 1024} MB.` }),
  content: { 'application/json': { schema: schemaOf(body), example: example?.body } },
});

function describeAnswer({ answer, example }: Endpoint) {
  if ('file' in answer) return ofTypes(answer.file);
  if ('content' in answer) {
    return { 'text/event-stream': { schema: schemaOf(answer.content['text/event-stream'].schema) } };
  }
  return { 'application/json': { schema: schemaOf(answer), example: example?.answer } };
}

const ofTypes = (types: readonly string[]) => Object.fromEntries(types.map((type) => [type, {}]));

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A call that is repeated under the same key has one effect and gets the same response.',
  schema: { type: 'string', minLength: 1, maxLength: 160 },
};

const describeParameters = ({ params, querystring, movesMoney, example }: Endpoint) => [
  ...fieldsOf(params).map((field) => ({
    ...field,
    in: 'path',
    required: true,
    example: example?.params?.[field.name],
  })),
  ...fieldsOf(querystring).map((field) => ({ ...field, in: 'query', example: example?.querystring?.[field.name] })),
  ...(movesMoney ? [idempotencyKey] : []),
];

const fieldsOf = (fields: Endpoint['params']) =>
  Object.entries(fields?._zod.def.shape ?? {}).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field);
    return { name, description, schema };
  });
