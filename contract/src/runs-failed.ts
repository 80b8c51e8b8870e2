import { z } from 'zod';
import { endpoint } from './core/endpoint.ts';
import { RunKind } from './run-kinds.ts';

export type FailedRun = z.output<typeof FailedRun>;
const FailedRun = z.object({
  id: z.uuid(),
  kind: RunKind,
  period: z.string(),
  reverses: z.uuid().nullable(),
});

export const listFailedRuns = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/runs/failed',
  access: 'platform.read',
  summary: 'The runs that failed and wait to be retried or canceled, newest first',
  answer: z.object({ runs: z.array(FailedRun) }),
  refusals: {},
});
