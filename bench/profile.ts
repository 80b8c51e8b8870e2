import { startPostgres } from '../tools/postgres.ts';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { conclude, isFull as full } from './history/conclude.ts';
import { rounded, summarize } from './lists/samples.ts';
import { levels, users, smallTeam } from './profile/fill.ts';
import { openFixture } from './profile/fixture.ts';

const aim = 1.5;
const size = full ? 1_000_000 : 100_000;
const rounds = full ? 400 : 300;
const warmUp = 20;

/** The same calls for a user with a small team and for one with a very large team. */
const cases = {
  profile: { small: `/api/users/${users.small}`, large: `/api/users/${users.large}` },
  firstLevel: { small: `/api/users/${users.small}/team?limit=10`, large: `/api/users/${users.large}/team?limit=10` },
  sponsors: { small: `/api/users/${users.footAlone}/sponsors`, large: `/api/users/${users.footInLarge}/sponsors` },
} as const;

type Name = keyof typeof cases;
const names = ['profile', 'firstLevel', 'sponsors'] as const satisfies readonly Name[];
const sides = ['small', 'large'] as const;

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
console.error(`filling a team of ${size.toLocaleString('en')} …`);
const fixture = everything.use(await openFixture(postgres.url, size));
await assertAnswers();

const measured = Object.fromEntries(names.map((name) => [name, { small: [], large: [] }])) as unknown as Record<
  Name,
  { small: number[]; large: number[] }
>;
console.error(`measuring ${rounds} rounds …`);
for (let round = -warmUp; round < rounds; round += 1) await measureRound(round);
report();

type Answer = {
  user?: { totalNetwork: number };
  team?: unknown[];
  total?: { count: number };
  sponsors?: unknown[];
};

/** Checks the response of every call once, because a fast wrong response is worth nothing. */
async function assertAnswers() {
  const read = async (path: string) => JSON.parse((await fixture.ask(path)).text) as Answer;
  // The chain of sponsors is part of the large team.
  const networks = { small: smallTeam, large: size + levels };
  for (const side of sides) {
    const { user } = await read(cases.profile[side]);
    const { team } = await read(cases.firstLevel[side]);
    const { sponsors } = await read(cases.sponsors[side]);
    const seen = [user?.totalNetwork, team?.length, sponsors?.length];
    const right = [networks[side], smallTeam, levels];
    if (seen.join() !== right.join()) throw new Error(`${side}: answered ${seen.join()} instead of ${right.join()}.`);
  }
}

/** Alternates both sides, so that other load on the machine affects them equally. */
async function measureRound(round: number) {
  for (const name of names) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const { ms } = await fixture.ask(cases[name][side]);
      if (round >= 0) measured[name][side].push(ms);
    }
  }
}

function report() {
  const compared = Object.fromEntries(
    names.map((name) => {
      const small = summarize(measured[name].small);
      const large = summarize(measured[name].large);
      const ratio = rounded(large.p50 / small.p50);
      console.error(
        `${name.padEnd(10)} ${small.p50} -> ${large.p50} ms, ratio ${ratio} (p95 ${small.p95} -> ${large.p95})`,
      );
      return [name, { small: small.p50, large: large.p50, ratio, p95: [small.p95, large.p95] }];
    }),
  );
  const worst = Math.max(...Object.values(compared).map(({ ratio }) => ratio));
  const { folded } = fixture;
  const teams = { small: smallTeam, large: size };
  conclude({
    bench: 'profile',
    timings: { worst: { value: worst, aim, better: 'lower' } },
    faults: [],
    details: { teams, levels, cases: compared, folded },
  });
}
