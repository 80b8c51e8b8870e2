/** A ratio of times, and which direction is better. Missing the aim does not fail a run. */
export type Timing = { value: number; aim: number; better: 'higher' | 'lower' };

export type Judgement = {
  value: number;
  aim: number;
  reachesAim: boolean;
  /** The number of earlier runs that the value was compared with. */
  runs: number;
  lowest: number | null;
  highest: number | null;
  verdict: 'unjudged' | 'usual' | 'regressed';
};

const fewestRuns = 3;
const newestRuns = 20;
const smallestMargin = 0.1;

/**
 * Decides whether a value is clearly worse than its history. Machines are shared, and a ratio varies by tens of percent
 * for unrelated reasons, so a fixed bound would fail at random. A value regresses when it is worse than the worst of
 * the newest runs by more than half of their spread, and by at least a tenth of that worst value.
 */
export function judge({ value, aim, better }: Timing, history: readonly number[]): Judgement {
  const earlier = history.slice(-newestRuns);
  const [lowest, highest] = [Math.min(...earlier), Math.max(...earlier)];
  const reachesAim = better === 'higher' ? value >= aim : value <= aim;
  if (earlier.length < fewestRuns) {
    return { value, aim, reachesAim, runs: earlier.length, lowest: null, highest: null, verdict: 'unjudged' };
  }
  const worst = better === 'higher' ? lowest : highest;
  const margin = Math.max((highest - lowest) / 2, worst * smallestMargin);
  const regressed = better === 'higher' ? value < worst - margin : value > worst + margin;
  return { value, aim, reachesAim, runs: earlier.length, lowest, highest, verdict: regressed ? 'regressed' : 'usual' };
}
