/** The body of a refusal. */
export type Problem = { code?: string; error?: string; detail?: string; reference?: string };

/** A call that Bursar refused, or that did not arrive. */
export class BursarError extends Error {
  override name = 'BursarError';
  /** The HTTP status. Null if there was no answer. */
  readonly status: number | null;
  /** A code for programs, such as `WithdrawalsDisabled`. `Unreachable` if there was no answer. */
  readonly code: string;
  /** Names the field or item that is wrong. */
  readonly detail: string | undefined;
  /** Finds the call in the log of Bursar. */
  readonly reference: string | undefined;
  /** When to try again, if Bursar said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number | null, problem: Problem, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super([problem.error ?? `Bursar answered ${status}.`, problem.detail].filter(Boolean).join(' '), options);
    this.status = status;
    this.code = problem.code ?? 'Unexpected';
    this.detail = problem.detail;
    this.reference = problem.reference;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** Whether the same call can succeed later. Every call of this client may be repeated. */
  get isTemporary() {
    return this.status === null || this.status === 429 || this.status >= 500;
  }
}
