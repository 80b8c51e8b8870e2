import type { Change } from '../processes/code.ts';

/** It does what it is told and does not remember what it answered. */
export const forgetsAnswers: Change[] = [
  {
    file: 'server/src/core/auth/idempotency.ts',
    from: 'if (written.success) await insertAnswer(',
    to: 'if (Date.now() === 0 && written.success) await insertAnswer(',
  },
];
