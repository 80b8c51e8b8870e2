import { openCluster } from '../proof/processes/cluster.ts';
import { copyCode } from '../proof/processes/code.ts';
import { playAgainst } from './installed.ts';
import { readOptions } from './options.ts';
import { simulate } from './simulate.ts';

const killEveryMs = 8_000;
const patienceMs = 180_000;

/* Plays a platform and prints the verdict as its last line. Without --url it installs Bursar for itself. */
const options = readArguments();
const { installation, kills, ...chosen } = options;
const verdict = installation ? await playAgainst(installation, chosen) : await simulateAlone();
console.log(JSON.stringify(verdict));
process.exitCode = verdict.passed ? 0 : 1;

async function simulateAlone() {
  await using resources = new AsyncDisposableStack();
  const code = copyCode();
  resources.defer(() => code.remove());
  const cluster = await openCluster();
  resources.defer(() => cluster.remove());
  const killing = kills ? killEveryMs : undefined;
  return await simulate(cluster, { ...chosen, code, name: 'simulator', killEveryMs: killing, patienceMs });
}

function readArguments() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}
