import { explainIssue } from 'contract/core/field-errors.ts';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { Refusal } from '#server/core/refusal.ts';

/** The issues that a schema of the contract found in a request. Each message is a sentence that the panel can show. */
export class InvalidInput extends Error {
  readonly issues: readonly z.core.$ZodIssue[];

  constructor(issues: readonly z.core.$ZodIssue[]) {
    super('A schema of the contract refused the request.');
    this.issues = issues;
  }
}

export const validatorCompiler: FastifySchemaCompiler<z.core.$ZodType> =
  ({ schema }) =>
  (data) => {
    const { success, data: value, error } = z.safeParse(schema, data, { error: explainIssue });
    return success ? { value } : { error: new InvalidInput(error.issues) };
  };

/**
 * Refuses text that PostgreSQL cannot store, so that it is a bad request and not a failed statement: U+0000, which no text
 * can hold, and half of a surrogate pair, which no JSON can.
 */
export function refuseUnstorableText({ params, query, body }: FastifyRequest) {
  if ([params, query, body].some(holdsUnstorable)) throw new Refusal('InvalidRequest');
}

const isUnstorable = (text: string) => text.includes('\u0000') || !text.isWellFormed();

function holdsUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return isUnstorable(value);
  if (Array.isArray(value)) return value.some(holdsUnstorable);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return false;
  return Object.entries(value).some(([name, inner]) => isUnstorable(name) || holdsUnstorable(inner));
}
