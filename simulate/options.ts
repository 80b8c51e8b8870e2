import { parseArgs } from 'node:util';

export type Options = {
  users: number;
  /** Actions per second. */
  rate: number;
  /** For how long users act. */
  seconds: number;
  /** Decides every choice, so that a failure can be looked at again. */
  seed: number;
  /** Whether processes are killed meanwhile. */
  kills: boolean;
  /** The installation to play against. Without one, the simulator starts its own. */
  installation: { url: string; key: string } | undefined;
};

const usage = `npm run simulate -- [--users N] [--rate R] [--seconds S] [--seed N] [--kills]
npm run simulate -- --url URL --key KEY [--users N] [--rate R] [--seconds S] [--seed N]`;

const options = {
  users: { type: 'string', default: '60' },
  rate: { type: 'string', default: '8' },
  seconds: { type: 'string', default: '60' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  kills: { type: 'boolean', default: false },
  url: { type: 'string' },
  key: { type: 'string' },
} as const;

/** Reads the words of the command line. Throws an error with the usage if they make no sense. */
export function readOptions(words: readonly string[]): Options {
  const { values } = parse(words);
  const { url, key, kills } = values;
  const numbers = {
    users: Number(values.users),
    rate: Number(values.rate),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
  };
  const isWhole = [numbers.users, numbers.seed].every((number) => Number.isSafeInteger(number));
  const isPositive = [numbers.users, numbers.rate, numbers.seconds].every((number) => number > 0);
  const isOneInstallation = (url === undefined) === (key === undefined) && !(kills && url !== undefined);
  if (!isWhole || !isPositive || numbers.seed < 0 || !isOneInstallation) throw new Error(usage);
  return { ...numbers, kills, installation: url !== undefined && key !== undefined ? { url, key } : undefined };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options });
  } catch (cause) {
    throw new Error(usage, { cause });
  }
}
