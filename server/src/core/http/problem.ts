import { anyCallRefusals, type Endpoint, type Problem } from 'contract/core/endpoint.ts';
import { InvalidInput } from './input.ts';
import { Refusal } from '#server/core/refusal.ts';

export type Answerable = Omit<Problem, 'reference'> & { retryAfterSeconds?: number };

/** Returns the problem document of an error, or undefined for an internal error, which must only appear in the log. */
export function problemFor(error: unknown, endpoint?: Endpoint): Answerable | undefined {
  if (error instanceof InvalidInput) return fieldProblem(error);
  const refusal = error instanceof Refusal ? error : refusalFor(error);
  return refusal && describeRefusal(refusal.code, { endpoint, retryAfterSeconds: refusal.retryAfterSeconds });
}

/** The number of reasons in `error`: more would not be read. */
const reasonsShown = 3;

/** `title` names the kind of problem. `error`, which the panel shows, says what to do about it. */
function fieldProblem({ issues }: InvalidInput): Answerable | undefined {
  const problem = describeRefusal('InvalidRequest', {
    detail: issues
      .slice(0, 10)
      .map(({ path, message }) => `/${path.join('/')}: ${message}`)
      .join('; '),
  });
  const reasons = [...new Set(issues.map(({ message }) => message))];
  return problem && { ...problem, error: reasons.slice(0, reasonsShown).join(' ') };
}

type ProblemOptions = {
  endpoint?: Endpoint | undefined;
  detail?: string | undefined;
  retryAfterSeconds?: number | undefined;
};

function describeRefusal(
  code: string,
  { endpoint, detail, retryAfterSeconds }: ProblemOptions = {},
): Answerable | undefined {
  for (const declared of [endpoint?.refusals ?? {}, anyCallRefusals]) {
    for (const [status, codes] of Object.entries(declared) as [string, Record<string, string>][]) {
      const text = codes[code];
      if (text === undefined) continue;
      return {
        type: `urn:bursar:problem:${code}`,
        title: text,
        status: Number(status),
        code,
        error: text,
        ...(detail && { detail }),
        ...(retryAfterSeconds && { retryAfterSeconds }),
      };
    }
  }
  return undefined;
}

/** Codes of Fastify, PostgreSQL and the network that are not internal errors. */
const knownCodes: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'RequestTooLarge',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UnsupportedMediaType',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'InvalidRequest',
  FST_ERR_CTP_INVALID_JSON_BODY: 'InvalidRequest',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'InvalidRequest',
  FST_CP_ERR_INVALID_CONTENT_ENCODING: 'UnsupportedMediaType',
  FST_ERR_BAD_URL: 'InvalidRequest',
  FST_ERR_MAX_PARAM_LENGTH: 'InvalidRequest',
  // Deadlock, statement timeout, shutdown and restart of PostgreSQL, connections used up or lost, disk or memory full.
  '40P01': 'Busy',
  '57014': 'Busy',
  '57P01': 'Busy',
  '57P02': 'Busy',
  '57P03': 'Busy',
  '53100': 'Busy',
  '53200': 'Busy',
  '53300': 'Busy',
  // A value that the type of its column cannot hold: only a forged cursor gets past the validators.
  '22003': 'InvalidRequest',
  '22007': 'InvalidRequest',
  '22008': 'InvalidRequest',
  '22009': 'InvalidRequest',
  '22023': 'InvalidRequest',
  '22021': 'InvalidRequest',
  '22P02': 'InvalidRequest',
  ECONNREFUSED: 'Busy',
  ECONNRESET: 'Busy',
  EPIPE: 'Busy',
  ETIMEDOUT: 'Busy',
  ENOTFOUND: 'Busy',
  EAI_AGAIN: 'Busy',
};

function refusalFor(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as Error & { code?: string; statusCode?: number };
  // A trigger or function of the database refused: see refuse() in migration 0001.
  if (code === 'BU001') return new Refusal(error.message);
  if (
    error.message === 'timeout exceeded when trying to connect' ||
    /^Connection terminated|is not queryable$|^Query read timeout/.test(error.message)
  ) {
    return new Refusal('Busy', { retryAfterSeconds: 1 });
  }
  const known = code === undefined ? undefined : knownCodes[code];
  if (known === 'Busy') return new Refusal(known, { retryAfterSeconds: 1 });
  if (known) return new Refusal(known);
  if (statusCode === 406) return new Refusal('NotAcceptable');
  return statusCode === 400 ? new Refusal('InvalidRequest') : undefined;
}
