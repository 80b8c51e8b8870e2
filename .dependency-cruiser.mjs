import { createRequire } from 'node:module';

const { Visitor } = createRequire(import.meta.url)('@swc/core/Visitor.js');
const { visitStatement } = Visitor.prototype;

/** The parser reads `await using`, but its visitor does not know the statement yet and stops there. */
Visitor.prototype.visitStatement = function visitUsingToo(statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  return { ...statement, decls: this.visitVariableDeclarators(statement.decls) };
};

/** Rooms of the server that every room stands on. A folder that is not named here is a room, and rooms do not meet. */
const foundation = '(db|http|auth|audit|events|queue|ledger|approvals)';
/** These put rooms together: the demo data of all of them, and the ground that tests stand on. */
const composing = '(testing|seed)';
const test = '\\.test\\.tsx?$';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'contract-stands-alone',
      comment: 'The contract imports zod and itself: both other floors must be able to load it.',
      severity: 'error',
      from: { path: '^contract/src/', pathNot: test },
      to: { pathNot: '^contract/src/|(^|/)node_modules/zod/' },
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
      comment: 'What is shipped does not know what builds and proves it.',
      severity: 'error',
      from: { path: '^(contract|server|panel)/src/' },
      to: { path: '^(tools|e2e|bench|proof)/' },
    },
    {
      name: 'server-room-never-room',
      comment: 'A room imports itself and the foundation. What two rooms share belongs in the foundation.',
      severity: 'error',
      from: { path: '^server/src/([^/]+)/', pathNot: `^server/src/${composing}/` },
      to: { path: '^server/src/[^/]+/', pathNot: [`^server/src/($1|${foundation})/`, '^server/src/testing/'] },
    },
    {
      name: 'server-room-never-composition',
      comment: 'main, worker and cli know the rooms; the rooms do not know them. The configuration is for everybody.',
      severity: 'error',
      from: { path: '^server/src/[^/]+/', pathNot: `^server/src/${composing}/` },
      to: { path: '^server/src/[^/]+\\.ts$', pathNot: '^server/src/config\\.ts$' },
    },
    {
      name: 'testing-only-for-tests',
      severity: 'error',
      from: { path: '^server/src/', pathNot: [test, '^server/src/testing/'] },
      to: { path: '^server/src/testing/' },
    },
    {
      name: 'panel-room-never-room',
      comment: 'A room of the panel imports itself, the shell and the pieces of ui.',
      severity: 'error',
      from: { path: '^panel/src/([^/]+)/' },
      to: { path: '^panel/src/[^/]+/', pathNot: '^panel/src/($1|shell|ui|testing)/' },
    },
    {
      name: 'panel-room-never-composition',
      comment: 'main and routes know the rooms; the rooms do not know them. Tests start the whole panel.',
      severity: 'error',
      from: { path: '^panel/src/[^/]+/', pathNot: '^panel/src/testing/' },
      to: { path: '^panel/src/[^/]+\\.tsx?$' },
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
      comment: 'The pieces know no room, no shell and no call: that is what makes them everybody’s.',
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
      comment: 'The engine can be exchanged as long as there is one door to it.',
      severity: 'error',
      from: { pathNot: '^server/src/queue/' },
      to: { path: '(^|/)node_modules/pg-boss/' },
    },
    {
      name: 'only-db-knows-pg',
      comment: 'A connection made elsewhere has no role, no timeout and no transaction that anyone can see.',
      severity: 'error',
      from: { path: '^(contract|server|panel)/', pathNot: '^server/src/(db|testing)/' },
      to: { path: '(^|/)node_modules/(pg|pg-copy-streams|@types/pg|@types/pg-copy-streams)/' },
    },
    {
      name: 'product-never-development-package',
      comment: 'The production install leaves development packages out.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: [test, '^server/src/testing/'] },
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
      // A cycle of types alone does not exist when the program runs.
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
