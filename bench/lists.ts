import { startPostgres } from '../tools/postgres.ts';
import { prepareTemplate } from '../server/src/testing/template.ts';
import { assertAnswers, type Cases, findCases, growsByNature, type Name, names } from './lists/cases.ts';
import { rounded, summarise } from './lists/samples.ts';
import { openSite, type Site, type Statement } from './lists/site.ts';

const limit = 2;
const full = process.argv.includes('--full');
const sizes = full ? [10_000, 1_000_000] : [10_000, 200_000];
const rounds = full ? 300 : 200;
const warmUp = 15;
/** A case that grows by nature is slow by nature too, and no bound hangs on it. */
const seldom = 10;

type Measured = { ours: number[]; bare: number[] };
type Subject = { site: Site; cases: Cases; statements: Record<Name, Statement[]>; measured: Record<Name, Measured> };

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const subjects: Subject[] = [];
for (const size of sizes) subjects.push(await prepare(size));

console.error(`measuring ${rounds} rounds …`);
for (let round = -warmUp; round < rounds; round += 1) await measureRound(round);
report();

async function prepare(size: number): Promise<Subject> {
  console.error(`filling ${size.toLocaleString('en')} tickets …`);
  const site = everything.use(await openSite(postgres.url, size));
  console.error('walking to the middle …');
  const cases = await findCases(site);
  await assertAnswers(site, cases);
  const statements = {} as Subject['statements'];
  const measured = {} as Subject['measured'];
  for (const name of names) {
    statements[name] = await site.statementsOf(cases[name]);
    measured[name] = { ours: [], bare: [] };
  }
  return { site, cases, statements, measured };
}

/** Sizes take turns within every case: whatever else the machine does then meets both alike. */
async function measureRound(round: number) {
  for (const name of names) {
    if (growsByNature.has(name) && round % seldom !== 0) continue;
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const { ms: ours } = await subject.site.ask(subject.cases[name]);
      const bare = await subject.site.askBare(subject.statements[name]);
      if (round < 0) continue;
      subject.measured[name].ours.push(ours);
      subject.measured[name].bare.push(bare);
    }
  }
}

function compare(name: Name) {
  const [small, large] = subjects.map(({ measured }) => ({
    ours: summarise(measured[name].ours),
    bare: summarise(measured[name].bare),
  }));
  if (!small || !large) throw new Error('There is nothing to compare.');
  return {
    small: small.ours.p50,
    large: large.ours.p50,
    growth: rounded(large.ours.p50 / small.ours.p50),
    p5: [small.ours.p5, large.ours.p5],
    p95: [small.ours.p95, large.ours.p95],
    bare: { small: small.bare.p50, large: large.bare.p50, growth: rounded(large.bare.p50 / small.bare.p50) },
    ratio: rounded(large.bare.p50 / large.ours.p50),
    bound: !growsByNature.has(name),
  };
}

function report() {
  const compared = names.map((name) => ({ case: name, ...compare(name) }));
  for (const { case: name, small, large, growth, p5, p95, bare, ratio } of compared) {
    const ours = `${small} -> ${large} ms, growth ${growth} (p5 ${p5.join(' -> ')}, p95 ${p95.join(' -> ')})`;
    console.error(
      `${name.padEnd(15)} ${ours}; bare ${bare.small} -> ${bare.large}, growth ${bare.growth}; ratio ${ratio}`,
    );
  }
  const worstGrowth = Math.max(...compared.filter(({ bound }) => bound).map(({ growth }) => growth));
  const passed = worstGrowth <= limit;
  const cases = Object.fromEntries(compared.map(({ case: name, ...figures }) => [name, figures]));
  const ratio = compared[0]?.ratio;
  console.log(JSON.stringify({ bench: 'lists', sizes, cases, worstGrowth, limit, passed, ratio }));
  if (!passed) process.exitCode = 1;
}
