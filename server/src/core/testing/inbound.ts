import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Scope } from 'contract/core/scopes.ts';
import type { testServer } from './server.ts';

export const inboundScopes = [
  'users:write',
  'deposits:write',
  'stakes:write',
  'withdrawals:write',
  'tickets:write',
  'tasks:write',
  'activity:write',
] as const satisfies Scope[];

type Server = Awaited<ReturnType<typeof testServer>>;
type Result = { id: string; outcome: string; code?: string; reason?: string };

/** Calls a server as the platform. */
export function platformOf(server: Pick<Server, 'call'>, token: string) {
  const call = (path: string, items: readonly object[]) =>
    server.call('POST', `/api/platform/${path}`, { token, body: { items } });
  /** Returns each outcome, or the code of a refusal. */
  const send = async (path: string, ...items: object[]) => {
    const { status, json, text } = await call(path, items);
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return (json['results'] as Result[]).map(({ outcome, code }) => code ?? outcome);
  };
  return { call, send };
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Returns the address of a new key pair. */
export const newWallet = () => addressOf(generateKeyPairSync('ed25519').publicKey);

/** Returns the address of an ed25519 key. */
export function addressOf(publicKey: KeyObject) {
  const bytes = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = `${alphabet[Number(value % 58n)]}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros) + text;
}

let sent = 0;

/** A user as the platform sends them, with names of their own. */
export function userItem(chosen: object = {}) {
  sent += 1;
  return {
    id: `U${10_000_000 + sent}`,
    username: `sent.${sent}`,
    wallet: wallets[0],
    solWalletAddress: wallets[1],
    referralCode: `SENT${String(sent).padStart(6, '0')}`,
    joinedAt: '2026-01-05T10:00:00.000Z',
    ...chosen,
  };
}

export const wallets = [newWallet(), newWallet()] as const;
