import type { Change } from '../processes/code.ts';

/** Acknowledges a deposit although its transaction failed. Seen while the database is slow. */
export const acknowledgesFailures: Change = {
  file: 'server/src/core/ledger/inbound-routes.ts',
  from: '(tx) => storeDeposits(tx, body.items)),',
  to: `(tx) => storeDeposits(tx, body.items)).catch(() => ({
      results: body.items.map(({ id }) => ({ id, outcome: 'stored' as const })),
    })),`,
};

/** Each is seen in the storm. */
export const ofStorm = {
  /** Lets any number of calls wait for a connection. */
  queuesWithoutEnd: {
    file: 'server/src/core/http/app.ts',
    from: 'const longestQueue = 100;',
    to: 'const longestQueue = 1_000_000;',
  },
  /** Refuses a call without saying when to come back. */
  forgetsRetryAfter: {
    file: 'server/src/core/http/app.ts',
    from: "throw new Refusal('Busy', { retryAfterSeconds: 1 });",
    to: "throw new Refusal('Busy');",
  },
} satisfies Record<string, Change>;
