import { randomUUID } from 'node:crypto';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { conclude, isFull as full } from './history/conclude.ts';
import { type Fixture, openFixture } from './intake/fixture.ts';
import { summarize } from './lists/samples.ts';

/*
 * Compares calls that bring in items with a bare multi-row insert of the same rows. A call goes over HTTP to the server,
 * with an API key and all checks. The bare insert writes the rows that the call stored into plain tables with the same
 * primary keys, in one transaction. The two alternate, because the speed of a machine varies from second to second.
 */
const aims = { ratio: 0.6, growth: 1.3 };
const [small, large] = full ? [100_000, 10_000_000] : [10_000, 100_000];
const rounds = full ? 100 : 40;
const warmUp = 10;
const itemsInCall = 1_000;

type Kind = 'activity' | 'deposits';
const kinds: readonly Kind[] = ['activity', 'deposits'];
type Turn = { kind: Kind; few: Spent; many: Spent };
type Spent = { ours: number; bare: number };

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const few = everything.use(await openFixture(postgres.url, small));
const many = everything.use(await openFixture(postgres.url, large));

const turns: Turn[] = [];
for (let round = -warmUp; round < rounds; round += 1) {
  for (const kind of kinds) {
    const turn = await takeTurn(kind, round % 2 === 0);
    if (round >= 0) turns.push(turn);
  }
}
report();

/** Alternates the order of the two sizes, so that other load on the machine affects both equally. */
async function takeTurn(kind: Kind, smallFirst: boolean): Promise<Turn> {
  if (smallFirst) return { kind, few: await spend(few, kind), many: await spend(many, kind) };
  const spent = await spend(many, kind);
  return { kind, few: await spend(few, kind), many: spent };
}

async function spend(fixture: Fixture, kind: Kind): Promise<Spent> {
  const items = itemsFor(fixture, kind);
  const ours = await fixture.send(kind, items);
  return { ours, bare: await fixture.insertAgain(kind, items) };
}

function itemsFor({ someUser }: Fixture, kind: Kind) {
  const at = new Date().toISOString();
  return Array.from({ length: itemsInCall }, () => {
    const item = { id: randomUUID(), user: someUser(), at };
    return kind === 'activity' ? { ...item, type: 'Browsing' } : { ...item, asset: 'USD', amount: '12.345678' };
  });
}

function figuresOf(kind: Kind) {
  const own = turns.filter((turn) => turn.kind === kind);
  const spread = (figure: (turn: Turn) => number) => summarize(own.map(figure));
  const perSecond = (ms: number) => Math.round((itemsInCall * 1_000) / ms);
  return {
    ratio: spread(({ many: { ours, bare } }) => bare / ours),
    ratioOfFew: spread(({ few: { ours, bare } }) => bare / ours),
    growth: spread((turn) => turn.many.ours / turn.few.ours),
    itemsPerSecond: perSecond(spread((turn) => turn.many.ours).p50),
    bareItemsPerSecond: perSecond(spread((turn) => turn.many.bare).p50),
  };
}

function report() {
  const figures = { activity: figuresOf('activity'), deposits: figuresOf('deposits') };
  const ratioOf = (kind: Kind) => ({ value: figures[kind].ratio.p50, aim: aims.ratio, better: 'higher' as const });
  const growthOf = (kind: Kind) => ({ value: figures[kind].growth.p50, aim: aims.growth, better: 'lower' as const });
  conclude({
    bench: 'intake',
    timings: {
      activityRatio: ratioOf('activity'),
      depositsRatio: ratioOf('deposits'),
      activityGrowth: growthOf('activity'),
      depositsGrowth: growthOf('deposits'),
    },
    faults: [],
    details: { users: [small, large], calls: rounds, itemsInCall, figures },
  });
}
