import type { Change } from '../processes/code.ts';

export const mutants = {
  /** Confirms a withdrawal that the platform has lost track of. */
  confirmsUnknown: {
    file: 'server/src/features/withdrawals/settlement.ts',
    from: "  await settle(tx, { before, report, reporter: { source: 'platform', adminId: null } });",
    to: `  const outcome = report.outcome === 'unknown' && before.reference !== null ? 'confirmed' : report.outcome;
  await settle(tx, { before, report: { ...report, outcome }, reporter: { source: 'platform', adminId: null } });`,
  },
  /** Forgets some of the events when it writes the deliveries of new ones. */
  losesEvents: {
    file: 'server/src/features/integrations/webhooks/dispatch-queries.ts',
    from: "where case when type = 'webhook.test' then",
    to: "where seq % 5 > 0 and case when type = 'webhook.test' then",
  },
} satisfies Record<string, Change>;
