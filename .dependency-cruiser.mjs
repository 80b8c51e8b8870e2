import { createRequire } from 'node:module';

const { Visitor } = createRequire(import.meta.url)('@swc/core/Visitor.js');
const { visitStatement } = Visitor.prototype;

/** The parser supports `await using`, but its visitor does not know the statement and throws. */
Visitor.prototype.visitStatement = function visitUsingToo(statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  return { ...statement, decls: this.visitVariableDeclarators(statement.decls) };
};

/**
 * The layers of the core, from the bottom up: a layer imports only itself and lower ones. The routes of the core are at
 * the top, because they need http.
 */
const coreRoutes = '^server/src/core/(auth|audit|events)/(sso-)?routes\\.ts$';
const coreLayers = [
  '^server/src/core/[^/]+\\.ts$',
  '^server/src/core/db/',
  '^server/src/core/(events|queue|audit|outbox)/',
  '^server/src/core/auth/',
  '^server/src/core/http/',
];
/** The parts of a run, from the bottom up. */
const runPhases = ['store', 'kinds', 'paying', 'planning', 'schedule', 'archiving', 'reading'];
const test = '\\.test\\.tsx?$';
const coreTop = [coreRoutes, '^server/src/core/(ledger|approvals|inbound)/'];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'contract-stands-alone',
      comment: 'The contract imports zod and itself: both other packages must be able to load it.',
      severity: 'error',
      from: { path: '^contract/src/', pathNot: test },
      to: { pathNot: '^contract/src/|(^|/)node_modules/zod/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'Platforms install the client without the rest of Bursar. Its tests compare it with the contract.',
      severity: 'error',
      from: { path: '^client/src/', pathNot: test },
      to: { path: '^(contract|server|panel)/' },
    },
    {
      name: 'product-never-client',
      severity: 'error',
      from: { path: '^(contract|server|panel)/src/' },
      to: { path: '^client/' },
    },
    {
      name: 'server-never-panel',
      severity: 'error',
      from: { path: '^server/' },
      to: { path: '^panel/' },
    },
    {
      name: 'panel-never-server',
      severity: 'error',
      from: { path: '^panel/src/' },
      to: { path: '^server/' },
    },
    {
      name: 'panel-runs-in-a-browser',
      severity: 'error',
      from: { path: '^panel/src/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'product-never-tools',
      comment: 'The product does not import the code that builds, tests or measures it.',
      severity: 'error',
      from: { path: '^(contract|server|panel)/src/' },
      to: { path: '^(tools|e2e|bench|proof|simulate)/' },
    },
    {
      name: 'server-feature-never-feature',
      comment: 'A feature imports itself and the core. Code that two features share belongs in the core.',
      severity: 'error',
      from: { path: '^server/src/features/([^/]+)/' },
      to: { path: '^server/src/', pathNot: '^server/src/(features/$1/|core/|config\\.ts$)' },
    },
    {
      name: 'server-core-never-feature',
      severity: 'error',
      from: { path: '^server/src/core/', pathNot: '^server/src/core/testing/' },
      to: { path: '^server/src/', pathNot: '^server/src/(core/|config\\.ts$)' },
    },
    ...coreLayers.map((layer, index) => ({
      name: 'core-layer-never-upward',
      severity: 'error',
      from: { path: layer, pathNot: [test, coreRoutes] },
      to: { path: [...coreLayers.slice(index + 1), ...coreTop] },
    })),
    ...runPhases.map((phase, index) => ({
      name: 'run-phase-never-upward',
      comment:
        'The folders of the runs feature are layers: each imports only itself and those before it in `runPhases`.',
      severity: 'error',
      from: { path: `^server/src/features/runs/${phase}/`, pathNot: test },
      to: {
        path: [
          `^server/src/features/runs/(${runPhases.slice(index + 1).join('|')})/`,
          '^server/src/features/runs/[^/]+$',
        ],
      },
    })),
    {
      name: 'testing-only-for-tests',
      severity: 'error',
      from: { path: '^server/src/', pathNot: [test, '^server/src/core/testing/'] },
      to: { path: '^server/src/core/testing/' },
    },
    {
      name: 'panel-feature-never-feature',
      comment: 'A feature imports itself and the layers below it. Components that two features share belong in domain.',
      severity: 'error',
      from: { path: '^panel/src/features/([^/]+)/' },
      to: { path: '^panel/src/', pathNot: '^panel/src/(features/$1|domain|shell|ui|testing)/' },
    },
    {
      name: 'panel-domain-never-feature',
      severity: 'error',
      from: { path: '^panel/src/domain/', pathNot: test },
      to: { path: '^panel/src/', pathNot: '^panel/src/(domain|shell|ui)/' },
    },
    {
      name: 'panel-shell-never-upward',
      severity: 'error',
      from: { path: '^panel/src/shell/', pathNot: test },
      to: { path: '^panel/src/', pathNot: '^panel/src/(shell|ui)/' },
    },
    {
      name: 'panel-testing-only-for-tests',
      comment: 'The fake server must not be part of the built panel.',
      severity: 'error',
      from: { path: '^panel/src/', pathNot: [test, '^panel/src/testing/'] },
      to: { path: '^panel/src/testing/' },
    },
    {
      name: 'ui-knows-nobody',
      comment: 'UI components depend on no feature, session or API call, so that every screen can use them.',
      severity: 'error',
      from: { path: '^panel/src/ui/', pathNot: test },
      to: { path: '^panel/src/', pathNot: '^panel/src/ui/' },
    },
    {
      name: 'ui-never-calls',
      severity: 'error',
      from: { path: '^panel/src/ui/' },
      to: { path: '@tanstack/react-query' },
    },
    {
      name: 'only-queue-knows-pg-boss',
      comment: 'The queue engine can be replaced only if a single module uses it.',
      severity: 'error',
      from: { pathNot: '^server/src/core/queue/' },
      to: { path: '(^|/)node_modules/pg-boss/' },
    },
    {
      name: 'only-db-knows-pg',
      comment:
        'A connection opened elsewhere has no role, no timeout, and transactions that the other code cannot see.',
      severity: 'error',
      from: { path: '^(contract|server|panel)/', pathNot: '^server/src/core/(db|testing)/' },
      to: { path: '(^|/)node_modules/(pg|pg-copy-streams|@types/pg|@types/pg-copy-streams)/' },
    },
    {
      name: 'product-never-development-package',
      comment: 'The production install does not include development packages.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: [test, '^server/src/core/testing/'] },
      to: {
        path: 'node_modules/',
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        pathNot: 'node_modules/@types/',
      },
    },
    {
      name: 'no-cycle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-missing',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(panel/dist|\\.data)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css', '.d.ts'],
    },
  },
};
