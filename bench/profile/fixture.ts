import { sealAuditWith } from '../../server/src/core/audit/key.ts';
import { connect } from '../../server/src/core/db/db.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';
import { addAdmin, testServer } from '../../server/src/core/testing/server.ts';
import { cloneTemplate } from '../../server/src/core/testing/template.ts';
import { openClient } from '../lists/client.ts';
import { assertTeams, fillTeams, foldEverything } from './fill.ts';

const longestFilling = 60 * 60_000;

/** Opens a database with a very large and a very small team, and the real server on it, signed in. */
export async function openFixture(postgresUrl: string, size: number) {
  const { url, drop } = await cloneTemplate(postgresUrl);
  const settings = { url, connections: 2, onLostConnection: () => undefined, statementTimeoutMs: longestFilling };
  const owner = connect(settings);
  await fillTeams(owner, size);
  console.error('folding …');
  const folded = await foldEverything(owner);
  await assertTeams(owner);
  sealAuditWith(testConfig(url).audit.key);
  await addAdmin(owner.database, { username: 'bench' });
  await owner.database.destroy();

  const server = await testServer(url);
  const { ask, close } = openClient(server.address, await server.signIn('bench'));
  return {
    ask,
    folded,
    async [Symbol.asyncDispose]() {
      close();
      await server[Symbol.asyncDispose]();
      await drop();
    },
  };
}
