import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

/** PostgreSQL cannot store U+0000 in text; refused here it is a bad request and not a failed statement. */
export function refuseNulCharacters({ params, query, body }: FastifyRequest) {
  if ([params, query, body].some(holdsNul)) throw new Refusal('InvalidRequest');
}

function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\u0000');
  if (Array.isArray(value)) return value.some(holdsNul);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return false;
  return Object.entries(value).some(([name, inner]) => name.includes('\u0000') || holdsNul(inner));
}
