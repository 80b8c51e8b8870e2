import { z } from 'zod';
import type { Permission } from './permissions.ts';

type Schema = z.core.$ZodType;
type Fields = z.core.$ZodObject;
type Stream = { content: { 'text/event-stream': { schema: Schema } } };
type File = { file: readonly `${string}/${string}`[] };

/** One word for the folder on every floor, the query key, the event and the audit prefix. */
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
  'events',
  'health',
]);

/**
 * Who may call. There is no default: an endpoint that does not say does not compile.
 * `anyone` needs no session; `session` takes one whose temporary password is still to be changed.
 */
type Access = 'anyone' | 'session' | Permission;

/** Expected refusals by status: the code for programs, the words for people. */
type Refusals = { readonly [status: number]: { readonly [code: string]: string } };

/** One call of the API, described once: the server serves it and the panel calls it. */
export type Endpoint = {
  feature: Feature;
  method: 'GET' | 'POST' | 'PATCH';
  url: `/api/${string}`;
  access: Access;
  summary: string;
  params?: Fields;
  querystring?: Fields;
  body?: Fields;
  /** The body is a file of one of these types, and nothing else. */
  upload?: { types: readonly `${string}/${string}`[]; bytes: number };
  answer: Schema | Stream | File;
  refusals: Refusals;
  /** Takes an Idempotency-Key: sent again under the same key it is answered again, and not done again. */
  movesMoney?: true;
};

export const endpoint = <const E extends Endpoint>(it: E): E => it;

export const events = <S extends Schema>(schema: S) => ({ content: { 'text/event-stream': { schema } } });

/** The answer is a file of one of these types. */
export const file = (...types: File['file']) => ({ file: types });

/** What both sides know of a file: a browser's Blob is one, and so is Node's. */
export type FileBytes = { readonly type: string; readonly size: number; arrayBuffer(): Promise<ArrayBuffer> };

/** What a schema reads into memory: a time is a Date here and text only on the wire. */
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

/** The codes with which an endpoint says it may refuse. */
export type RefusalCode<E extends Endpoint> = CodesOf<E['refusals']>;

/** What any call can meet, whatever its endpoint declares. */
export const anyCallRefusals = {
  400: { InvalidRequest: 'The request was not understood.' },
  401: { SignInRequired: 'Your session has ended. Please sign in again.' },
  403: {
    PermissionDenied: 'Your role does not allow this.',
    PasswordChangeRequired: 'Choose a password of your own first.',
  },
  404: { NoSuchCall: 'There is nothing at this address.' },
  406: { NotAcceptable: 'This call answers in another format.' },
  413: { RequestTooLarge: 'The request is too large.' },
  415: { UnsupportedMediaType: 'The request must be JSON.' },
  422: { KeyReused: 'Something else was sent under this Idempotency-Key before.' },
  500: { Unexpected: 'Something went wrong on our side. Check what was done before you try again.' },
  503: { Busy: 'The server is busy. Please try again shortly.' },
} as const satisfies Refusals;

/** How every refusal travels: RFC 9457 problem details, and the specification's `error` field. */
export type Problem = z.output<typeof Problem>;
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  error: z.string(),
  /** Finds this very refusal in the server's log. */
  reference: z.string(),
  detail: z.string().optional(),
});

/** A day of the calendar in UTC, YYYY-MM-DD, on the wire and in memory. */
export const Day = z.iso.date();

/** A timestamp: ISO 8601 in UTC on the wire, a Date in memory. */
export const Timestamp = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});
