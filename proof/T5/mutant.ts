import type { Change } from '../processes/code.ts';

/** Executes a call without storing its response. */
export const forgetsAnswers: Change[] = [
  {
    file: 'server/src/core/auth/idempotency.ts',
    from: 'if (written.success) await insertAnswer(',
    to: 'if (Date.now() === 0 && written.success) await insertAnswer(',
  },
];

/** Gives a deposit another id each time that it is sent. */
export const forgetsIds: Change[] = [
  {
    file: 'server/src/core/ledger/inbound.ts',
    from: "const rows = added.map(({ id, user, asset, amount, at }) => ({\n    id: platformId('deposit', id),",
    to: "const rows = added.map(({ id, user, asset, amount, at }) => ({\n    id: platformId('deposit', id + Math.random()),",
  },
];
