import { type Breach, file } from './breach.ts';

/** The rule that is broken, the file that breaks it, and what it imports. */
const imports: [rule: string, from: string, imported: string][] = [
  ['contract-stands-alone', 'contract/src/breach.ts', 'kysely'],
  ['server-never-panel', 'server/src/http/breach-panel.ts', '../../../panel/src/shell/call.ts'],
  ['panel-never-server', 'panel/src/shell/breach-server.ts', '../../../server/src/config.ts'],
  ['panel-runs-in-a-browser', 'panel/src/shell/breach-node.ts', 'node:fs'],
  ['product-never-tools', 'server/src/http/breach-tools.ts', '../../../tools/ports.ts'],
  ['server-room-never-room', 'server/src/tickets/breach-room.ts', '#server/admins/service.ts'],
  ['server-room-never-room', 'server/src/audit/breach-upwards.ts', '#server/tickets/service.ts'],
  ['server-room-never-composition', 'server/src/tickets/breach-main.ts', '#server/main.ts'],
  ['testing-only-for-tests', 'server/src/tickets/breach-testing.ts', '#server/testing/template.ts'],
  ['panel-room-never-room', 'panel/src/tickets/breach-room.ts', '#panel/admins/page.tsx'],
  ['panel-room-never-room', 'panel/src/shell/breach-room.ts', '#panel/tickets/page.tsx'],
  ['panel-room-never-composition', 'panel/src/tickets/breach-main.ts', '#panel/main.tsx'],
  ['ui-knows-nobody', 'panel/src/ui/breach-shell.ts', '#panel/shell/call.ts'],
  ['ui-never-calls', 'panel/src/ui/breach-query.ts', '@tanstack/react-query'],
  ['only-queue-knows-pg-boss', 'server/src/tickets/breach-boss.ts', 'pg-boss'],
  ['only-db-knows-pg', 'server/src/tickets/breach-pg.ts', 'pg'],
  ['product-never-development-package', 'server/src/http/breach-development.ts', 'vitest'],
  ['nothing-missing', 'server/src/http/breach-missing.ts', './no-such-file.ts'],
];

const across = imports.map(([rule, from, imported]): Breach => {
  const seenAs = new RegExp(`^${rule}: ${from.replaceAll('.', '\\.')} `, 'm');
  return { name: `${rule} (${from})`, step: 'borders', plant: file(from, `import '${imported}';\n`), seenAs };
});

export const borderBreaches: Breach[] = [
  ...across,
  {
    name: 'a type of another room',
    step: 'borders',
    plant: file('server/src/tickets/breach-type.ts', "export type { Anything } from '#server/admins/service.ts';\n"),
    seenAs: /^server-room-never-room: server\/src\/tickets\/breach-type\.ts /m,
  },
  {
    name: 'a cycle',
    step: 'borders',
    plant(tree) {
      tree.write('server/src/http/breach-here.ts', "import './breach-there.ts';\n");
      tree.write('server/src/http/breach-there.ts', "import './breach-here.ts';\n");
    },
    seenAs: /^no-cycle: server\/src\/http\/breach-/m,
  },
  {
    name: 'a floor that is not looked at',
    step: 'borders',
    plant: (tree) => tree.edit('.dependency-cruiser.mjs', (text) => text.replace("exclude: { path: '", '$&^server/|')),
    seenAs: /^not looked at: server\/src\/main\.ts$/m,
    apart: true,
  },
  {
    name: 'packages that are not looked at',
    step: 'borders',
    plant: (tree) => tree.edit('.dependency-cruiser.mjs', (text) => text.replace("exclude: { path: '", '$&/dist/|')),
    seenAs: /^not looked at: server\/src\/queue\/\S+ -> pg-boss$/m,
    apart: true,
  },
];
