import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { walletFault } from 'contract/core/wallet.ts';

/** A row of a file of a platform that moves to Bursar. A value that a row does not have is the empty text. */
export type PlatformRow = Record<string, string>;

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Returns the address of a wallet, the same for the same name. */
export function walletFor(name: string) {
  for (let turn = 0; ; turn += 1) {
    const digest = createHash('sha256').update(`${name} ${turn}`).digest();
    let text = '';
    for (let value = BigInt(`0x${digest.toString('hex')}`); value > 0n; value /= 58n) {
      text = `${alphabet[Number(value % 58n)]}${text}`;
    }
    if (walletFault(text) === undefined) return text;
  }
}

const firstJoin = Date.UTC(2026, 0, 1);
const minute = 60_000;
const at = (index: number, minutesLater = 0) =>
  new Date(firstJoin + (index % 300_000) * minute + minutesLater * minute).toISOString();
const thrown = (index: number, sides: number) => (Math.imul(index + 1, 0x9e_37_79_b1) >>> 8) % sides;
const ranks = ['none', 'none', 'Silver', 'Gold', 'Platinum'];

function userRow(index: number): PlatformRow {
  const isBlacklisted = index % 97 === 13;
  return {
    userId: `U${index}`,
    username: `user.${index}`,
    wallet: walletFor(`user ${index}`),
    solWalletAddress: '',
    referralCode: index.toString(36).toUpperCase().padStart(8, '0'),
    createdAt: at(index),
    // Sponsors joined before, but the rows are written from the last user to the first.
    sponsor: index === 0 || index % 4 === 3 ? '' : `U${thrown(index, index)}`,
    role: index % 100 === 50 ? 'Admin' : '',
    rank: ranks[index % ranks.length] ?? '',
    gmpShares: String(thrown(index, 900)),
    lastActiveOn: at(index).slice(0, 10),
    blacklistedAt: '',
    blacklistReason: isBlacklisted ? 'Several accounts, "shared" wallet' : '',
    solPrivateKey: index % 50 === 7 ? `private key of ${index}` : '',
  };
}

const plans = [
  { days: '30', dailyRate: '0.1' },
  { days: '60', dailyRate: '0.15' },
];

function stakeRow(index: number): PlatformRow {
  const isCompleted = index % 5 === 2;
  return {
    stakeId: `S${index}`,
    userId: `U${index}`,
    amountUsd: `${100 + thrown(index, 900)}.25`,
    amountSol: '0.640000001',
    ...(plans[index % 2] ?? { days: '', dailyRate: '' }),
    status: isCompleted ? 'Completed' : 'Active',
    createdAt: at(index, 5),
    endsOn: '',
    completedAt: isCompleted ? at(index, 6) : '',
  };
}

const statuses = ['Pending', 'Completed', 'Failed'];

function withdrawalRow(index: number): PlatformRow {
  const status = statuses[(index / 4) % 3] ?? '';
  return {
    withdrawalId: `W${index}`,
    userId: `U${index}`,
    amountUsd: `${20 + thrown(index, 50)}.5`,
    wallet: walletFor(`user ${index}`),
    status,
    createdAt: at(index, 7),
    decidedAt: status === 'Pending' ? '' : at(index, 8),
    reason: status === 'Failed' ? 'The network\nwas down' : '',
    signature: status === 'Completed' ? walletFor(`signature ${index}`) : '',
  };
}

const hasWithdrawal = (index: number) => index % 4 === 0;

function balanceRows(index: number): PlatformRow[] {
  const stake = stakeRow(index);
  const withdrawal = withdrawalRow(index);
  const staked = stake['status'] === 'Active' ? Number(stake['amountUsd']) : 0;
  const held = hasWithdrawal(index) && withdrawal['status'] === 'Pending' ? Number(withdrawal['amountUsd']) : 0;
  return [
    { userId: `U${index}`, asset: 'USD', amount: (staked + held + thrown(index, 40)).toFixed(2) },
    { userId: `U${index}`, asset: 'SLX', amount: String(thrown(index, 9_000)) },
  ];
}

function ticketRow(index: number): PlatformRow {
  return {
    ticketId: `T${index}`,
    userId: `U${index}`,
    subject: 'Wallet change',
    description: 'How can I use another wallet?\nI did not find it, "really".',
    status: index % 20 === 0 ? 'open' : 'resolved',
    response: index % 20 === 0 ? '' : 'Please give it with the next withdrawal.',
    createdAt: at(index, 9),
  };
}

const every = (users: number, step: number) =>
  Array.from({ length: Math.ceil(users / step) }, (_, place) => place * step);

/** The rows of a platform with that many users: each has a stake, every fourth a withdrawal and every tenth a ticket. */
export function platformRows(users: number) {
  return {
    users: rowsOf(every(users, 1).toReversed(), (index) => [userRow(index)]),
    balances: rowsOf(every(users, 1), balanceRows),
    stakes: rowsOf(every(users, 1), (index) => [stakeRow(index)]),
    withdrawals: rowsOf(every(users, 4), (index) => [withdrawalRow(index)]),
    tickets: rowsOf(every(users, 10), (index) => [ticketRow(index)]),
  };
}

/** Makes the rows one at a time, because a million of them take a lot of memory. */
function* rowsOf(indexes: readonly number[], rows: (index: number) => readonly PlatformRow[]) {
  for (const index of indexes) yield* rows(index);
}

type Rows = Record<string, Iterable<PlatformRow>>;

/** Writes the files of a platform to a folder, which it creates: one for each part that has rows. */
export async function writePlatform(folder: string, rows: Rows, format: 'csv' | 'ndjson' = 'csv') {
  await mkdir(folder, { recursive: true });
  const linesOf = format === 'csv' ? csvLines : jsonLines;
  for (const [part, list] of Object.entries(rows)) {
    const lines = linesOf(list);
    const first = lines.next();
    if (first.done === true) continue;
    const file = createWriteStream(path.join(folder, `${part}.${format}`));
    file.write(first.value);
    await pipeline(Readable.from(lines), file);
  }
}

const cell = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function* csvLines(rows: Iterable<PlatformRow>): Generator<string> {
  let isFirst = true;
  for (const row of rows) {
    if (isFirst) yield `${Object.keys(row).join(',')}\n`;
    isFirst = false;
    yield `${Object.values(row).map(cell).join(',')}\n`;
  }
}

function* jsonLines(rows: Iterable<PlatformRow>): Generator<string> {
  for (const row of rows) {
    yield `${JSON.stringify(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== '')))}\n`;
  }
}
