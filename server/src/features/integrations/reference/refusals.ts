import { anyCallRefusals, type Endpoint } from 'contract/core/endpoint.ts';
import { isScope } from 'contract/core/scopes.ts';
import { type Answerable, problemFor } from '#server/core/http/problem.ts';
import { Refusal } from '#server/core/refusal.ts';

type AnyCall = typeof anyCallRefusals;
type AnyCallCode = { [Status in keyof AnyCall]: keyof AnyCall[Status] }[keyof AnyCall];

const never = () => false;
const withBody = ({ method }: Endpoint) => method !== 'GET';
const byKey = ({ access }: Endpoint) => access === 'key' || isScope(access);
const bySession = (call: Endpoint) => call.access !== 'anyone' && !byKey(call);
const withPermission = (call: Endpoint) => bySession(call) && call.access !== 'session';

/** Which calls can return a refusal that every call can return. Without an entry, all of them. */
const returnedBy: Readonly<Record<string, (call: Endpoint) => boolean>> = {
  SignInRequired: bySession,
  KeyRequired: byKey,
  PermissionDenied: withPermission,
  PasswordChangeRequired: withPermission,
  ScopeMissing: ({ access }) => isScope(access),
  MfaRequired: (call) => bySession(call) && call.movesMoney === true,
  StepUpRequired: ({ stepUp }) => stepUp === true,
  NoSuchCall: never,
  NotAcceptable: ({ answer }) => 'content' in answer,
  RequestTooLarge: withBody,
  UnsupportedMediaType: withBody,
  TooManyRequests: byKey,
  KeyReused: ({ movesMoney }) => movesMoney === true,
} satisfies Partial<Record<AnyCallCode, (call: Endpoint) => boolean>>;

/** Returns the codes of all refusals that a call can return. */
function refusalCodesOf(call: Endpoint) {
  const ofAnyCall = codesIn(anyCallRefusals).filter((code) => returnedBy[code]?.(call) ?? true);
  return [...new Set([...codesIn(call.refusals), ...ofAnyCall])];
}

const codesIn = (refusals: Endpoint['refusals']) => Object.values(refusals).flatMap((codes) => Object.keys(codes));

/** Describes the refusals of a call as responses by status, with the problem document that the server sends. */
export function describeRefusals(call: Endpoint) {
  const problems = refusalCodesOf(call).map((code) => {
    const problem = problemFor(new Refusal(code), call);
    if (!problem) throw new Error(`The refusal ${code} has no text.`);
    return problem;
  });
  const byStatus = Object.groupBy(problems, ({ status }) => status);
  return Object.fromEntries(Object.entries(byStatus).map(([status, same = []]) => [status, describe(same)]));
}

const retryAfter = { description: 'The seconds after which to repeat the call.', schema: { type: 'integer' } };

function describe(problems: Answerable[]) {
  const codes = problems.map(({ code }) => code);
  const canBeRepeated = problems.some(({ status }) => status === 429 || status === 503);
  return {
    description: problems.map(({ code, title }) => `- \`${code}\`: ${title}`).join('\n'),
    ...(canBeRepeated && { headers: { 'Retry-After': retryAfter } }),
    content: {
      'application/problem+json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] },
        examples: Object.fromEntries(
          problems.map((problem) => [problem.code, { value: { ...problem, reference: exampleReference } }]),
        ),
      },
    },
  };
}

const exampleReference = '1f0c5a52-8d0b-4b7e-9d55-0a4f6f8f2c11';
