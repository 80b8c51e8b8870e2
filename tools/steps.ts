export type Step = {
  name: string;
  command: readonly [string, ...string[]];
  /** Vitest counts its own tests; every other step counts as one. */
  countsTests?: true;
  /** Runs after the others, because it needs the whole machine. */
  alone?: true;
};

const types = (workspace: string): Step => ({ name: `types-${workspace}`, command: ['tsc', '-p', workspace] });

/** The steps of `npm run check`. As many run concurrently as there are cores. */
export const steps: readonly Step[] = [
  // The longest of the concurrent steps starts first.
  { name: 'component', command: ['vitest', 'run', '--project', 'component'], countsTests: true },
  { name: 'format', command: ['biome', 'format', '--error-on-warnings', '--max-diagnostics=50'] },
  types('contract'),
  types('client'),
  types('server'),
  types('panel'),
  { name: 'types-tools', command: ['tsc', '-p', '.'] },
  {
    name: 'lint',
    command: ['oxlint', '--type-aware', '--deny-warnings', '--report-unused-disable-directives-severity=error'],
  },
  { name: 'borders', command: ['node', 'tools/borders.ts'] },
  { name: 'unused', command: ['knip', '--no-progress', '--treat-config-hints-as-errors'] },
  { name: 'schema', command: ['node', 'tools/schema.ts', '--verify'] },
  { name: 'tidy', command: ['vitest', 'run', '--project', 'tidy'], countsTests: true },
  { name: 'unit', command: ['vitest', 'run', '--project', 'unit'], countsTests: true },
  { name: 'server', command: ['vitest', 'run', '--project', 'server'], countsTests: true, alone: true },
];
