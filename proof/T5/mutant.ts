import type { Change } from '../processes/code.ts';

/** Executes a call without storing its response. */
export const forgetsAnswers: Change[] = [
  {
    file: 'server/src/core/auth/idempotency.ts',
    from: 'if (written.success) await insertAnswer(',
    to: 'if (Date.now() === 0 && written.success) await insertAnswer(',
  },
];
