import path from 'node:path';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { copyCode } from './processes/code.ts';
import { openFixture } from './processes/fixture.ts';
import { dayAfter } from './processes/stakes.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { check } from './T11/check.ts';
import { type Engine, loadEngine } from './T11/engine.ts';
import { mutants } from './T11/mutants.ts';
import { type Schedule, scheduleAt } from './T11/schedule.ts';
import { simulate, type Span } from './T11/simulate.ts';
import { prepareWorld } from './T11/world.ts';

/* Workers with wrong clocks trigger due runs, over months and with any UTC offset: each period is paid once. */
const seed = seedOfThisRun();
const today = new Date().toISOString().slice(0, 10);
const dayMs = 86_400_000;
/** The machine's time zone must not matter. Daylight saving differs in these; the last one is southern. */
const zones = ['America/New_York', 'Europe/Berlin', 'Pacific/Auckland'];
const concurrentWorlds = isFull ? 4 : 1;

const offsetsInFull = [-12, -9.5, -8, -5, -3.5, -0.25, 0, 1, 3, 4.75, 5.5, 5.75, 8.75, 10.5, 12.75, 14];
/** Spans over a new year, and over the clock changes in spring and in autumn. */
const shortSpans = ['12-08', '03-02', '10-03'];

type World = { schedule: Schedule; span: Span; zone: string; place: number };

function worlds(): World[] {
  const offsets = isFull ? offsetsInFull : [-12, 5.75, 14];
  const batches = Math.ceil(offsets.length / concurrentWorlds);
  return offsets.map((utcOffset, place) => {
    const schedule = scheduleAt(utcOffset, isFull ? place : place * 3, chanceOf(seed + place));
    const zone = zones[Math.floor(place / concurrentWorlds) % Math.min(zones.length, batches)] ?? 'UTC';
    const span = isFull ? { firstDay: dayAfter(today, -402), days: 400 } : lastSpan(shortSpans[place] ?? '03-02');
    return { schedule, span, zone, place };
  });
}

/** Returns the latest forty days that start on this date and are over. */
function lastSpan(monthAndDay: string): Span {
  const days = 40;
  const year = new Date().getUTCFullYear();
  const isOver = Date.parse(`${year}-${monthAndDay}`) + (days + 2) * dayMs < Date.now();
  return { firstDay: `${isOver ? year : year - 1}-${monthAndDay}`, days };
}

async function simulateWorld(engine: Engine, { schedule, span, place }: World) {
  const fixture = await openFixture(postgres.url);
  try {
    await prepareWorld(fixture, { firstDay: span.firstDay, schedule });
    const simulation = await simulate(fixture, engine, { ...span, chance: chanceOf(seed + 1_000 + place) });
    const found = await check(fixture, { schedule, span, simulation });
    const { days: early, distributions: earlyDistributions } = simulation.early;
    return { ...found, polled: simulation.polled, early: early.size, earlyDistributions: earlyDistributions.size };
  } finally {
    await fixture.close();
  }
}

const describeWorld = ({ schedule, span }: World) => `${JSON.stringify(schedule)} from ${span.firstDay}`;

async function proveAll(engine: Engine) {
  const results: (Awaited<ReturnType<typeof simulateWorld>> & { world: string })[] = [];
  const all = worlds();
  for (let at = 0; at < all.length; at += concurrentWorlds) {
    const batch = all.slice(at, at + concurrentWorlds);
    process.env['TZ'] = batch[0]?.zone ?? 'UTC';
    const done = await Promise.all(
      batch.map(async (world) => ({ ...(await simulateWorld(engine, world)), world: describeWorld(world) })),
    );
    results.push(...done);
    for (const one of done) logProgress(JSON.stringify(one));
  }
  return results;
}

/** Runs each mutant with the schedule and the season in which it does most harm. */
async function areMutantsCaught() {
  const schedule: Schedule = { frequency: 'Daily', time: '04:30', weekday: 1, utcOffset: 0 };
  const world = { schedule, span: { ...lastSpan('10-20'), days: 20 }, zone: 'America/New_York', place: 0 };
  process.env['TZ'] = world.zone;
  const caught: Record<string, boolean> = {};
  for (const [name, changes] of Object.entries(mutants)) {
    const code = copyCode(changes);
    try {
      const { faults } = await simulateWorld(await loadEngine(code.folder), world);
      caught[name] = faults.length > 0;
      logProgress(`mutant ${name}: ${faults.slice(0, 2).join(' | ') || 'not seen'}`);
    } finally {
      code.remove();
    }
  }
  return { mutantCaught: Object.values(caught).every(Boolean), mutants: caught };
}

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const results = await proveAll(await loadEngine(path.resolve(import.meta.dirname, '..')));
const mutant = await areMutantsCaught();
const sum = (of: (one: (typeof results)[number]) => number) => results.reduce((total, one) => total + of(one), 0);
const outcomes = (name: string) => sum(({ distributions }) => distributions[name] ?? 0);
const faults = results.flatMap(({ world, faults: own }) => own.map((fault) => `${world}: ${fault}`));
conclude({
  proof: 'T11',
  passed: faults.length === 0,
  ...mutant,
  seed,
  offsets: results.length,
  daysPaid: sum(({ days }) => days),
  distributions: {
    triggered: outcomes('triggered'),
    missed: outcomes('missed'),
    overlapped: outcomes('overlapped'),
    skipped: outcomes('skipped'),
  },
  looks: sum(({ polled }) => polled),
  // These are still paid only once: a worker believes its own clock.
  paidBeforeTheDayWasOver: sum(({ early }) => early),
  distributedBeforeItWasDue: sum(({ earlyDistributions }) => earlyDistributions),
  faults: faults.slice(0, 10),
});
