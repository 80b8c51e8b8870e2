/**
 * An expected "no". The code must be declared by the endpoint or in `anyCallRefusals`: any other code is answered as an
 * internal error (500).
 */
export class Refusal extends Error {
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, { retryAfterSeconds }: { retryAfterSeconds?: number } = {}) {
    super(code);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
