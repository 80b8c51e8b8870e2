import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Outcome, runStep } from './run-step.ts';
import { type Step, steps } from './steps.ts';

const concurrency = availableParallelism();

const { positionals: requested, values } = parseArgs({
  allowPositionals: true,
  options: { without: { type: 'string', multiple: true, default: [] } },
});
const unknown = [...requested, ...values.without].filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`No such step: ${unknown.join(', ')}. There are ${steps.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const chosen = steps
  .filter(({ name }) => requested.length === 0 || requested.includes(name))
  .filter(({ name }) => !values.without.includes(name));

const outcomes: Outcome[] = [];
const waiting = chosen.filter(({ alone }) => !alone);
await Promise.all(Array.from({ length: concurrency }, workThrough));
for (const step of chosen.filter(({ alone }) => alone)) report(await runStep(step, process.cwd()));

async function workThrough() {
  for (let step = waiting.shift(); step; step = waiting.shift()) report(await runStep(step, process.cwd()));
}

function report(outcome: Outcome) {
  outcomes.push(outcome);
  const { step, passed, failed, seconds, output } = outcome;
  const count = describeCount(step, outcome);
  console.log(`${failed === 0 ? '✓' : '✗'} ${step.name.padEnd(16)}${seconds.toFixed(1).padStart(6)} s${count}`);
  if (failed > 0 || (step.countsTests && passed === 0)) console.log(output.trimEnd());
}

function describeCount(step: Step, { passed, failed }: Outcome) {
  if (!step.countsTests) return '';
  return failed === 0 ? `  ${passed} tests` : `  ${passed} tests, ${failed} failed`;
}

const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + count(outcome), 0);
const failed = sum((outcome) => outcome.failed);
console.log(`${sum((outcome) => outcome.passed)} passed, ${failed} failed`);
// Not `process.exit`, which cuts off what a pipe has not taken yet.
process.exitCode = failed === 0 ? 0 : 1;
