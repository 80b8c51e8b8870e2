import { startPostgres } from '../tools/postgres.ts';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { conclude, isFull as full } from './history/conclude.ts';
import { assertAnswers, type Cases, findCases, growsByNature, type Name, names } from './lists/cases.ts';
import { rounded, type Summary, summarize } from './lists/samples.ts';
import { openFixture, type Fixture } from './lists/fixture.ts';
import { measureThroughput } from './lists/throughput.ts';

const aims = { growth: 2, ratio: 0.7 };
const sizes = full ? [10_000, 1_000_000, 10_000_000] : [10_000, 1_000_000];
const rounds = full ? 200 : 100;
const warmUp = 15;
/** A case that grows with the data is slow and has no bound, so only every tenth round measures it. */
const unboundInterval = 10;

type Subject = { fixture: Fixture; cases: Cases; measured: Record<Name, number[]> };

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const subjects: Subject[] = [];
for (const size of sizes) subjects.push(await prepare(size));

for (const { fixture } of subjects) await fixture.signIn();
console.error(`measuring ${rounds} rounds …`);
for (let round = -warmUp; round < rounds; round += 1) await measureRound(round);

const largest = subjects.at(-1);
if (!largest) throw new Error('There is nothing to measure.');
console.error('measuring requests per second …');
const throughput = await measureThroughput(largest.fixture, { rounds: full ? 121 : 81 });
report();

async function prepare(size: number): Promise<Subject> {
  const started = performance.now();
  console.error(`loading ${size.toLocaleString('en')} users …`);
  const fixture = everything.use(await openFixture(postgres.url, size));
  console.error(`loaded in ${Math.round((performance.now() - started) / 1000)} s`);
  await fixture.signIn();
  const cases = await findCases(fixture);
  await assertAnswers(fixture, cases);
  const measured = {} as Subject['measured'];
  for (const name of names) measured[name] = [];
  return { fixture, cases, measured };
}

/** Alternates the sizes within every case, so that other load on the machine affects all of them equally. */
async function measureRound(round: number) {
  for (const name of names) {
    if (growsByNature.has(name) && round % unboundInterval !== 0) continue;
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const { ms } = await subject.fixture.ask(subject.cases[name]);
      if (round >= 0) subject.measured[name].push(ms);
    }
  }
}

function compare(name: Name) {
  const all = subjects.map(({ measured }) => summarize(measured[name]));
  const at = (which: keyof Summary) => all.map((summary) => summary[which]);
  const p50 = at('p50');
  return { p50, growth: rounded(Math.max(...p50) / (p50[0] ?? Number.NaN)), p5: at('p5'), p95: at('p95') };
}

function report() {
  const compared = names.map((name) => ({ name, bound: !growsByNature.has(name), ...compare(name) }));
  for (const { name, p50, p5, p95, growth, bound } of compared) {
    const rest = `p5 ${p5.join(' -> ')}, p95 ${p95.join(' -> ')}`;
    console.error(`${name.padEnd(22)} ${p50.join(' -> ')} ms, growth ${growth}${bound ? '' : ' (not bound)'}; ${rest}`);
  }
  const worstGrowth = Math.max(...compared.filter(({ bound }) => bound).map(({ growth }) => growth));
  const cases = Object.fromEntries(compared.map(({ name, ...figures }) => [name, figures]));
  conclude({
    bench: 'lists',
    timings: {
      ratio: { value: throughput.ratio, aim: aims.ratio, better: 'higher' },
      worstGrowth: { value: worstGrowth, aim: aims.growth, better: 'lower' },
    },
    faults: [],
    details: { sizes, throughput, cases },
  });
}
