import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { BursarError, type Problem } from './errors.ts';

export type CallSettings = {
  /** The address of Bursar, such as https://bursar.example.com. */
  url: string;
  apiKey: string;
  /** How long an attempt may take. 30 seconds if not given. */
  attemptTimeoutMs?: number;
  /** For how long a call is tried again before it fails. Two minutes if not given. */
  giveUpAfterMs?: number;
};

type Method = 'GET' | 'POST';
/** With `isOnce`, all attempts have the same Idempotency-Key. */
type Sent = { json?: string; isOnce?: true };

/** Returns a function that calls the platform API, and tries again what failed for a while. */
export function callerOf({ url, apiKey, attemptTimeoutMs = 30_000, giveUpAfterMs = 120_000 }: CallSettings) {
  const base = `${url.replace(/\/+$/, '')}/api/platform/`;

  return async <Answer>(method: Method, path: string, { json, isOnce }: Sent = {}): Promise<Answer> => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(isOnce && { 'idempotency-key': randomUUID() }),
    };
    const deadline = Date.now() + giveUpAfterMs;
    for (let attempt = 1; ; attempt += 1) {
      const request = { method, headers, body: json ?? null, signal: AbortSignal.timeout(attemptTimeoutMs) };
      const outcome = await attemptCall<Answer>(base + path, request);
      if (!(outcome instanceof BursarError)) return outcome.answer;
      const pause = pauseAfter(outcome, attempt);
      if (!outcome.isTemporary || Date.now() + pause > deadline) throw outcome;
      await wait(pause);
    }
  };
}

async function attemptCall<Answer>(url: string, request: RequestInit): Promise<{ answer: Answer } | BursarError> {
  try {
    const response = await fetch(url, { ...request, redirect: 'error' });
    if (response.ok) return { answer: (await response.json()) as Answer };
    const problem = (await response.json().catch(() => ({}))) as Problem;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new BursarError(response.status, problem, Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {});
  } catch (cause) {
    return new BursarError(null, { code: 'Unreachable', error: 'Bursar did not answer.' }, { cause });
  }
}

/** Waits as long as Bursar asks. Otherwise the pauses double, and are random so that many clients do not come at once. */
function pauseAfter({ retryAfterSeconds }: BursarError, attempt: number) {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000 + Math.random() * 500;
  return (0.5 + Math.random() / 2) * Math.min(10_000, 100 * 2 ** attempt);
}
