import type { Change } from '../processes/code.ts';

/** Ignores recorded occurrences and payments, and starts the last distribution again at every poll. */
const forgetful: Change[] = [
  {
    file: 'server/src/features/runs/schedule/due.ts',
    from: 'Math.max((noted?.getTime() ?? 0) + 1, deps.now.getTime() - longestAwayMs)',
    to: 'deps.now.getTime() - longestAwayMs',
  },
  {
    file: 'server/src/features/runs/schedule/due.ts',
    from: 'else if (await isFullyPaid(tx, { kind, period: period.period })) {',
    to: 'else if (!dueAt) {',
  },
  {
    file: 'server/src/features/runs/kinds/gmp-distro.ts',
    from: `            when \${paidBefore(run)} then 'paid'\n`,
    to: '',
  },
  {
    file: 'server/src/features/runs/kinds/gmp-distro.ts',
    from: 'if (run.part === 0) return pool;',
    to: 'if (run.part >= 0) return pool;',
  },
  {
    file: 'server/src/features/runs/kinds/gmp-distro.ts',
    from: ` and not \${paidBefore(run)}\n`,
    to: '\n',
  },
];

/** Uses the day of the machine's time zone, in which some days have 23 hours and some 25. */
const local: Change[] = [
  {
    file: 'server/src/features/runs/kinds/periods.ts',
    from: 'timestamp.toISOString().slice(0, 10)',
    to: 'new Date(timestamp.getTime() - timestamp.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)',
  },
];

export const mutants = { forgetful, local };
