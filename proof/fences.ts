import { stripVTControlCharacters } from 'node:util';
import { runStep } from '../tools/run-step.ts';
import { steps } from '../tools/steps.ts';
import { borderBreaches } from './fences/border-breaches.ts';
import type { Breach } from './fences/breach.ts';
import { codeBreaches } from './fences/code-breaches.ts';
import { tidyBreaches } from './fences/tidy-breaches.ts';
import { copyTree } from './fences/tree.ts';

/**
 * Plants violations of the checks into a temporary copy of the tree. A breach is caught when its step, which passes on
 * the clean copy, fails and names it. The breaches of one step are planted together: each has its own file or name, by
 * which the step's output must show it.
 */
const breaches = [...codeBreaches, ...borderBreaches, ...tidyBreaches];
const tree = copyTree();
const problems: string[] = [];
let caught = 0;

try {
  for (const step of steps) {
    const own = breaches.filter((breach) => breach.step === step.name);
    if (own.length === 0) continue;
    const clean = await runStep(step, tree.folder);
    if (clean.failed > 0) problems.push(`${step.name} fails without any breach:\n${clean.output}`);
    const together = own.filter(({ apart }) => !apart);
    const groups = [together, ...own.filter(({ apart }) => apart).map((breach) => [breach])];
    for (const group of groups.filter(({ length }) => length > 0)) caught += await countCaught(step.name, group);
  }
} finally {
  tree.remove();
}

async function countCaught(stepName: string, group: Breach[]) {
  const step = steps.find(({ name }) => name === stepName);
  if (!step) throw new Error(`There is no step ${stepName}.`);
  for (const breach of group) breach.plant(tree);
  const { failed, output } = await runStep(step, tree.folder);
  tree.revert();
  const text = stripVTControlCharacters(output);
  const missed = group.filter(({ seenAs }) => failed === 0 || !seenAs.test(text));
  for (const { name } of group)
    console.log(`${missed.some((one) => one.name === name) ? '✗' : '✓'} ${stepName}: ${name}`);
  if (missed.length > 0) problems.push(`${stepName} missed ${missed.map(({ name }) => name).join('; ')}:\n${text}`);
  return group.length - missed.length;
}

for (const problem of problems) console.error(problem);
const passed = problems.length === 0 && caught === breaches.length;
console.log(JSON.stringify({ proof: 'fences', passed, breaches: breaches.length, caught }));
process.exit(passed ? 0 : 1);
