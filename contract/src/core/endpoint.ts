import { z } from 'zod';
import type { Permission } from './permissions.ts';
import type { Scope } from './scopes.ts';

type Schema = z.core.$ZodType;
type Fields = z.core.$ZodObject;
type Stream = { content: { 'text/event-stream': { schema: Schema } } };
type File = { file: readonly `${string}/${string}`[] };

/** The name of a feature: its folder in every package, its query key, its events and its audit prefix. */
export type Feature = z.output<typeof Feature>;
export const Feature = z.enum([
  'auth',
  'admins',
  'tickets',
  'users',
  'referrals',
  'withdrawals',
  'staking',
  'tasks',
  'reports',
  'maintenance',
  'settings',
  'jobs',
  'runs',
  'ledger',
  'approvals',
  'audit',
  'integrations',
  'events',
  'health',
  'imports',
  'security',
]);

/**
 * Who may call. There is no default: an endpoint without it does not compile. `anyone` needs no session; `session`
 * accepts a session whose temporary password has not been changed yet. `key` accepts any API key, and a scope only keys
 * that have it.
 */
type Access = 'anyone' | 'session' | Permission | 'key' | Scope;

/** Expected refusals by HTTP status: a code for programs and a text for users. */
type Refusals = { readonly [status: number]: { readonly [code: string]: string } };

/** A request and its response, both as they are on the wire. */
type Example = {
  params?: { readonly [name: string]: string };
  querystring?: { readonly [name: string]: string };
  body?: object;
  answer: object;
};

/** The description of one API call, shared by the server and the panel. */
export type Endpoint = {
  feature: Feature;
  method: 'GET' | 'POST' | 'PATCH';
  url: `/api/${string}`;
  access: Access;
  summary: string;
  params?: Fields;
  querystring?: Fields;
  body?: Fields;
  /** The body is a single file of one of these types. */
  upload?: { types: readonly `${string}/${string}`[]; bytes: number };
  /** The largest body, if it may have more than the 64 KB and 10,000 values of all others. */
  bodyLimits?: { bytes: number; nodes: number };
  answer: Schema | Stream | File;
  refusals: Refusals;
  /** Accepts an Idempotency-Key: a request repeated with the same key gets the same response and has one effect. */
  movesMoney?: true;
  /** Needs a session whose administrator proved within the last minutes who they are. */
  stepUp?: true;
  /** For the API reference, which shows the calls of API keys. */
  example?: Example;
};

export const endpoint = <const E extends Endpoint>(it: E): E => it;

export const events = <S extends Schema>(schema: S) => ({ content: { 'text/event-stream': { schema } } });

/** Declares a response that is a file of one of these types. */
export const file = (...types: File['file']) => ({ file: types });

/** The part of Blob that exists in both browsers and Node.js. */
export type FileBytes = { readonly type: string; readonly size: number; arrayBuffer(): Promise<ArrayBuffer> };

/** The decoded type of a schema: for example, a Date and not the text on the wire. */
type Read<S> = S extends { _zod: { output: infer O } } ? O : never;
type Parts = 'params' | 'querystring' | 'body';

export type Given<E extends Endpoint> = { [P in Parts & keyof E]: Read<E[P]> } & (E extends { upload: object }
  ? { file: FileBytes }
  : unknown);

export type Answer<E extends Endpoint> = E['answer'] extends { content: { 'text/event-stream': { schema: infer S } } }
  ? AsyncIterable<Read<S>>
  : E['answer'] extends File
    ? FileBytes
    : Read<E['answer']>;

type CodesOf<R> =
  R extends Record<number, infer Codes> ? (Codes extends unknown ? keyof Codes & string : never) : never;

/** The refusal codes that an endpoint declares. */
export type RefusalCode<E extends Endpoint> = CodesOf<E['refusals']>;

/** The refusals that every call can return, in addition to those of its endpoint. */
export const anyCallRefusals = {
  400: { InvalidRequest: 'The request was not understood.' },
  401: {
    SignInRequired: 'Your session has ended. Please sign in again.',
    KeyRequired: 'This call needs a valid API key.',
  },
  403: {
    PermissionDenied: 'Your role does not allow this.',
    PasswordChangeRequired: 'Choose a password of your own first.',
    MfaRequired: 'Set up two-factor authentication on the Security screen to move money.',
    StepUpRequired: 'Nothing was changed. Confirm that it is you and try again.',
    ScopeMissing: 'This API key does not have the scope that this call requires.',
  },
  404: { NoSuchCall: 'There is nothing at this address.' },
  406: { NotAcceptable: 'This endpoint responds in another format.' },
  413: { RequestTooLarge: 'The request is too large.' },
  415: { UnsupportedMediaType: 'The request must be JSON.' },
  422: { KeyReused: 'This Idempotency-Key was already used for another request.' },
  429: { TooManyRequests: 'This API key has exceeded its requests per minute.' },
  500: { Unexpected: 'Something went wrong on our side. Check what was done before you try again.' },
  503: { Busy: 'The server is busy. Please try again shortly.' },
} as const satisfies Refusals;

/** The body of every refusal: RFC 9457 problem details plus the specification's `error` field. */
export type Problem = z.output<typeof Problem>;
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string().describe('For programs. It does not change.'),
  error: z.string().describe('For humans. It can be reworded.'),
  reference: z.string().describe("Identifies this refusal in the server's log."),
  detail: z.string().optional().describe('Names the invalid fields of the request.'),
});

/** A UTC calendar day, YYYY-MM-DD, on the wire and in memory. */
export const Day = z.iso.date();

/** A timestamp: ISO 8601 in UTC on the wire, a Date in memory. */
export const Timestamp = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});
