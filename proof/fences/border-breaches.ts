import { type Breach, file } from './breach.ts';

/** The violated rule, the file that violates it, and what that file imports. */
const imports: [rule: string, from: string, imported: string][] = [
  ['contract-stands-alone', 'contract/src/breach.ts', 'kysely'],
  ['server-never-panel', 'server/src/core/http/breach-panel.ts', '../../../../panel/src/shell/call.ts'],
  ['panel-never-server', 'panel/src/shell/breach-server.ts', '../../../server/src/config.ts'],
  ['panel-runs-in-a-browser', 'panel/src/shell/breach-node.ts', 'node:fs'],
  ['product-never-tools', 'server/src/core/http/breach-tools.ts', '../../../../tools/ports.ts'],
  [
    'server-feature-never-feature',
    'server/src/features/tickets/breach-feature.ts',
    '#server/features/admins/service.ts',
  ],
  ['server-feature-never-feature', 'server/src/features/tickets/breach-main.ts', '#server/main.ts'],
  ['server-core-never-feature', 'server/src/core/audit/breach-feature.ts', '#server/features/tickets/service.ts'],
  ['core-layer-never-upward', 'server/src/core/breach-leaf.ts', '#server/core/db/db.ts'],
  ['core-layer-never-upward', 'server/src/core/db/breach-upward.ts', '#server/core/queue/queue.ts'],
  ['core-layer-never-upward', 'server/src/core/audit/breach-upward.ts', '#server/core/auth/sessions.ts'],
  ['core-layer-never-upward', 'server/src/core/auth/breach-upward.ts', '#server/core/http/api.ts'],
  ['core-layer-never-upward', 'server/src/core/http/breach-upward.ts', '#server/core/ledger/ledger.ts'],
  ['run-phase-never-upward', 'server/src/features/runs/store/breach-upward.ts', '../kinds/kinds.ts'],
  ['run-phase-never-upward', 'server/src/features/runs/reading/breach-upward.ts', '../routes.ts'],
  ['testing-only-for-tests', 'server/src/features/tickets/breach-testing.ts', '#server/core/testing/template.ts'],
  ['panel-feature-never-feature', 'panel/src/features/tickets/breach-feature.ts', '#panel/features/admins/page.tsx'],
  ['panel-feature-never-feature', 'panel/src/features/tickets/breach-main.ts', '#panel/main.tsx'],
  ['panel-domain-never-feature', 'panel/src/domain/breach-feature.ts', '#panel/features/tickets/page.tsx'],
  ['panel-shell-never-upward', 'panel/src/shell/breach-upward.ts', '#panel/domain/listing.tsx'],
  ['ui-knows-nobody', 'panel/src/ui/breach-shell.ts', '#panel/shell/call.ts'],
  ['ui-never-calls', 'panel/src/ui/breach-query.ts', '@tanstack/react-query'],
  ['only-queue-knows-pg-boss', 'server/src/features/tickets/breach-boss.ts', 'pg-boss'],
  ['only-db-knows-pg', 'server/src/features/tickets/breach-pg.ts', 'pg'],
  ['product-never-development-package', 'server/src/core/http/breach-development.ts', 'vitest'],
  ['nothing-missing', 'server/src/core/http/breach-missing.ts', './no-such-file.ts'],
];

const across = imports.map(([rule, from, imported]): Breach => {
  const seenAs = new RegExp(`^${rule}: ${from.replaceAll('.', '\\.')} `, 'm');
  return { name: `${rule} (${from})`, step: 'borders', plant: file(from, `import '${imported}';\n`), seenAs };
});

export const borderBreaches: Breach[] = [
  ...across,
  {
    name: 'a type of another feature',
    step: 'borders',
    plant: file(
      'server/src/features/tickets/breach-type.ts',
      "export type { Anything } from '../admins/service.ts';\n",
    ),
    seenAs: /^server-feature-never-feature: server\/src\/features\/tickets\/breach-type\.ts /m,
  },
  {
    name: 'a cycle',
    step: 'borders',
    plant(tree) {
      tree.write('server/src/core/http/breach-here.ts', "import './breach-there.ts';\n");
      tree.write('server/src/core/http/breach-there.ts', "import './breach-here.ts';\n");
    },
    seenAs: /^no-cycle: server\/src\/core\/http\/breach-/m,
  },
  {
    name: 'a package that is not read',
    step: 'borders',
    plant: (tree) => tree.edit('.dependency-cruiser.mjs', (text) => text.replace("exclude: { path: '", '$&^server/|')),
    seenAs: /^not looked at: server\/src\/main\.ts$/m,
    apart: true,
  },
  {
    name: 'imported packages that are not followed',
    step: 'borders',
    plant: (tree) => tree.edit('.dependency-cruiser.mjs', (text) => text.replace("exclude: { path: '", '$&/dist/|')),
    seenAs: /^not looked at: server\/src\/core\/queue\/\S+ -> pg-boss$/m,
    apart: true,
  },
];
