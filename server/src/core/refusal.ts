/**
 * An expected "no". The code must be one that the endpoint declares or that any call can meet:
 * anything else is answered as a fault of ours.
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
