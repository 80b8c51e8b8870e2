import assert from 'node:assert/strict';
import { takeAway } from '../../server/src/core/testing/transfers.ts';
import type { Actor } from '../../server/src/core/auth/sessions.ts';
import type { Database, Tx } from '../../server/src/core/db/db.ts';
import type { Chance } from '../processes/chance.ts';
import { faultsOf, type Fixture, openFixture } from '../processes/fixture.ts';
import { chooserOf } from './choose.ts';
import type { Engine } from './engine.ts';
import { postedLines, runOf, userOf } from './model.ts';
import type { Step } from './step.ts';
import { factsOf, readFacts } from './read.ts';
import { linesInChunk, planOf } from './rules.ts';
import * as steps from './steps.ts';
import { buildWorld, type World } from './world.ts';

const never = new AbortController().signal;
const enqueue = async () => undefined;

/** How often a sequence reached what the rules are about. */
export type Reached = Record<'refused' | 'paid' | 'reversed' | 'dropped' | 'booked' | 'settled', number>;

type Played = { fault: string | null; steps: Step[]; reached: Reached };

/** Plays a random sequence of steps in a new world, and compares the product with the model after each of them. */
export async function play(
  postgresUrl: string,
  engine: Engine,
  { chance, length }: { chance: Chance; length: number },
): Promise<Played> {
  const fixture = await openFixture(postgresUrl);
  const settings = { url: fixture.url, connections: 3, statementTimeoutMs: 60_000, onLostConnection: () => undefined };
  const { database: app } = engine.connect({ ...settings, role: 'bursar_app' });
  const { database: worker } = engine.connect({ ...settings, role: 'bursar_worker' });
  const world = await buildWorld(fixture, chance);
  const player = { fixture, engine, app, worker, world, refused: 0 };
  const choose = chooserOf(chance);
  const taken: Step[] = [];
  let fault: string | null = null;
  try {
    for (let count = 0; count < length; count += 1) {
      world.model.now += 60_000;
      const step = choose(world.model, chance);
      taken.push(step);
      await take(player, step);
      assert.deepEqual(await readFacts(fixture), factsOf(world.model));
    }
    assert.deepEqual(await faultsOf(fixture), []);
  } catch (error) {
    fault = error instanceof Error ? error.message : String(error);
  } finally {
    await Promise.all([app.destroy(), worker.destroy()]);
    await fixture.close();
  }
  return { fault, steps: taken, reached: reachedBy(player) };
}

function reachedBy({ refused, world: { model } }: Player): Reached {
  const posted = (isReversal: boolean) =>
    model.runs.filter((run) => (run.reverses !== null) === isReversal).flatMap(postedLines).length;
  const lines = model.runs.flatMap(({ chunks }) => chunks ?? []).flatMap((chunk) => chunk.lines);
  return {
    refused,
    paid: posted(false),
    reversed: posted(true),
    dropped: lines.filter(({ dropped }) => dropped !== null).length,
    booked: model.receivables.filter(({ units }) => units > 0n).length,
    settled: model.receivables.filter(({ units }) => units < 0n).length,
  };
}

type Player = { fixture: Fixture; engine: Engine; app: Database; worker: Database; world: World; refused: number };

/** Takes a step in the product and in the model. Both must accept it, or refuse it with the same code. */
async function take(player: Player, step: Step) {
  const { engine, world } = player;
  const { model, maker } = world;
  switch (step.name) {
    case 'plan': {
      const expected = steps.plan(model, step.kind);
      const { kind } = step;
      const now = new Date(model.now);
      return recordNew(player, expected, (tx) => engine.planManually(tx, { actor: maker, enqueue, kind, now }));
    }
    case 'replan':
      return recordNew(player, steps.replan(model, step.run), (tx) =>
        engine.replanRun(tx, { actor: maker, enqueue, id: step.run }),
      );
    case 'pay again':
      return recordNew(player, steps.payAgain(model, step.run, step.user), (tx) =>
        engine.replanUser(tx, { actor: maker, enqueue, id: step.run, user: step.user }),
      );
    case 'reverse':
      return recordNew(player, steps.reverse(model, step.run, step.user), (tx) =>
        engine.planReversal(tx, {
          actor: maker,
          enqueue,
          id: step.run,
          reason: 'A mistake',
          user: step.user ?? undefined,
        }),
      );
    case 'start':
      return expectSame(player, steps.start(model, step.run), async (tx) => {
        const run = await tx.selectFrom('run').select('planHash').where('id', '=', step.run).executeTakeFirstOrThrow();
        await engine.startRun(tx, { actor: maker, id: step.run, planHash: run.planHash ?? '' });
      });
    case 'decide':
      return expectSame(player, steps.decide(model, step.run, step), (tx) => decide(player, tx, step));
    case 'steer':
      return expectSame(player, steps.steer(model, step.run, step.step), (tx) =>
        engine.steerRun(tx, { actor: maker, enqueue, id: step.run, step: step.step }),
      );
    case 'make plan':
    case 'pay':
    case 'block':
    case 'delete':
    case 'promote':
    case 'spend':
    case 'save':
    case 'next day':
      return takeOther(player, step);
  }
}

type Other = Exclude<Step, { name: 'plan' | 'replan' | 'pay again' | 'reverse' | 'start' | 'decide' | 'steer' }>;

/** What workers do, and what happens to users and settings. */
async function takeOther(player: Player, step: Other) {
  const { fixture, world } = player;
  const { model, maker } = world;
  switch (step.name) {
    case 'make plan':
      await makePlan(player, step);
      return;
    case 'pay':
      await pay(player, step);
      return;
    case 'block':
      await blacklist(fixture, step);
      userOf(model, step.user).isBlacklisted = step.isBlocked;
      return;
    case 'delete':
      await fixture.pool.query('update platform_user set retired_at = now() where id = $1', [step.user]);
      userOf(model, step.user).isDeleted = true;
      return;
    case 'promote':
      await promote(fixture, {
        ...step,
        from: userOf(model, step.user).ranks.at(-1)?.rank ?? 'none',
        at: model.now,
        by: maker.id,
      });
      steps.promote(model, step.user, step.rank);
      return;
    case 'spend':
      await fixture.owner.transaction().execute((tx) => takeAway(tx, { userId: step.user, units: step.units }));
      steps.spend(model, step.user, step.units);
      return;
    case 'save':
      await save(fixture, step);
      steps.save(model, step.settings, Date.parse(step.from));
      return;
    case 'next day':
      model.now += 86_400_000;
  }
}

/** Runs a call of an administrator. Returns the code with which it was refused, or null. */
async function refusalOf({ app, engine }: Player, call: (tx: Tx) => Promise<unknown>) {
  try {
    await app.transaction().execute(call);
    return null;
  } catch (error) {
    if (error instanceof engine.Refusal) return error.code;
    throw error;
  }
}

async function expectSame(player: Player, expected: steps.Refused, call: (tx: Tx) => Promise<unknown>) {
  const code = await refusalOf(player, call);
  if (code !== null) player.refused += 1;
  assert.equal(code, expected, `The product answered ${code}, and the model expects ${expected}.`);
}

type Created = { run: { id: string } };

async function recordNew(player: Player, expected: ReturnType<typeof steps.plan>, call: (tx: Tx) => Promise<Created>) {
  let id = '';
  const isRefused = typeof expected === 'string';
  await expectSame(player, isRefused ? expected : null, async (tx) => {
    id = (await call(tx)).run.id;
  });
  if (!isRefused) steps.record(player.world.model, id, expected);
}

async function decide({ engine, world }: Player, tx: Tx, { run, isMaker, approves }: Step & { name: 'decide' }) {
  const request = await tx
    .selectFrom('approval')
    .select(['id', 'digest'])
    .where('subjectId', '=', run)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow();
  const actor: Actor = isMaker ? world.maker : world.approver;
  const decision = approves ? ('approve' as const) : ('deny' as const);
  const deps = { effects: engine.effectsOf(enqueue), aloneAfterSeconds: null };
  await engine.decideApproval(tx, { actor, ...request, decision, reason: 'Not now' }, deps);
}

/** Lets the worker die at the end of what it does. */
async function untilDeath({ pool }: Fixture, work: () => Promise<unknown>) {
  await pool.query(`insert into death default values; alter sequence planned_chunk restart`);
  await work().catch((error: unknown) => {
    if (!(error instanceof Error) || !error.message.includes('killed')) throw error;
  });
  await pool.query('delete from death');
}

async function makePlan(
  { fixture, engine, worker, world: { model } }: Player,
  { run: id, dies }: Step & { name: 'make plan' },
) {
  const work = () => engine.planRun({ database: worker, linesInChunk }, id, never);
  await (dies ? untilDeath(fixture, work) : work());
  // A plan of one chunk has no second one, so its worker does not die.
  if (!dies || planOf(model, runOf(model, id)).length < 2) steps.makePlan(model, id);
}

async function pay({ fixture, engine, worker, world: { model } }: Player, { dies }: Step & { name: 'pay' }) {
  const deps = { database: worker, endStakes: engine.endStakes };
  if (dies) {
    await untilDeath(fixture, () => engine.payNext(deps));
    steps.completeRuns(model);
    return;
  }
  const outcome = await engine.payNext(deps);
  if (outcome === 'failed') throw new Error('A chunk could not be paid.');
  steps.payNext(model, typeof outcome === 'string' ? null : outcome.runId);
  if (typeof outcome === 'string') assert.ok(!steps.hasOpenChunk(model), 'The worker left a chunk unpaid.');
}

async function blacklist({ pool }: Fixture, { user, isBlocked }: Step & { name: 'block' }) {
  const [at, reason] = isBlocked ? ['now()', `'Fraud'`] : ['null', 'null'];
  await pool.query(`update platform_user set blacklisted_at = ${at}, blacklist_reason = ${reason} where id = $1`, [
    user,
  ]);
}

type Promotion = { user: string; from: string; rank: string; at: number; by: string };

async function promote({ pool }: Fixture, { user, from, rank, at, by }: Promotion) {
  await pool.query(
    `insert into rank_change (user_id, from_rank, to_rank, reason, made_by, made_at) values ($1, $2, $3, 'Earned', $4, $5)`,
    [user, from, rank, by, new Date(at)],
  );
  await pool.query('update platform_user set rank = $2 where id = $1', [user, rank]);
}

async function save({ pool }: Fixture, { settings, from }: Step & { name: 'save' }) {
  await pool.query(
    `insert into job_settings (job, version, settings, effective_from)
     select $1, max(version) + 1, $2, $3 from job_settings where job = $1`,
    [settings.kind, JSON.stringify(settings.value), `${from}T00:00Z`],
  );
}
