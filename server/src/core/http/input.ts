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

/** Refuses U+0000, which PostgreSQL cannot store in text, so that it is a bad request and not a failed statement. */
export function refuseNulCharacters({ params, query, body }: FastifyRequest) {
  if ([params, query, body].some(holdsNul)) throw new Refusal('InvalidRequest');
}

function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\u0000');
  if (Array.isArray(value)) return value.some(holdsNul);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return false;
  return Object.entries(value).some(([name, inner]) => name.includes('\u0000') || holdsNul(inner));
}
