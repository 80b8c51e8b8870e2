import type { Asset } from 'contract/core/money.ts';
import type { ProblemCode } from 'contract/imports.ts';
import type { Part } from './files.ts';
import { platformId } from '#server/core/platform-id.ts';
import { amount, wallet, type Value } from './values.ts';

type Field = Extract<Value, { field: unknown }>['field'];
/** The staged fields of a row, by column. A value that could not be read is missing. */
export type Fields = Map<string, Field>;
type Fault = { field: string; code: ProblemCode };

/** Encrypts a private key for the user with that id. */
export type Seal = (userId: string, secret: string) => Buffer;

const dayMs = 86_400_000;

/**
 * Completes the fields of a row that was read: ids, values that follow from others, and the sealed private key. Returns
 * what is wrong between its fields.
 */
export function completeRow(part: Part, fields: Fields, seal: Seal): Fault[] {
  const faults: Fault[] = [];
  rules[part]({ fields, seal, fault: (field, code) => faults.push({ field, code }) });
  return faults;
}

type Rule = (row: { fields: Fields; seal: Seal; fault: (field: string, code: ProblemCode) => void }) => void;

const nameOf = (fields: Fields, column: string) => {
  const name = fields.get(column);
  return typeof name === 'string' ? name : undefined;
};

function setIds(fields: Fields, what: Parameters<typeof platformId>[0], column: string) {
  const [name, owner] = [nameOf(fields, column), nameOf(fields, 'user_id')];
  if (name !== undefined) fields.set('id', platformId(what, name));
  if (owner !== undefined && what !== 'user') fields.set('owner_id', platformId('user', owner));
}

const isBefore = (fields: Fields, later: string, earlier: string) => {
  const [after, before] = [fields.get(later), fields.get(earlier)];
  return after instanceof Date && before instanceof Date && after < before;
};

const rules: Record<Part, Rule> = {
  users: ({ fields, seal, fault }) => {
    setIds(fields, 'user', 'user_id');
    const [id, sponsor, secret] = ['id', 'sponsor', 'sol_private_key'].map((column) => nameOf(fields, column));
    if (sponsor !== undefined) fields.set('sponsor_id', platformId('user', sponsor));
    if (secret !== undefined) fields.set('sol_private_key', id === undefined ? null : seal(id, secret));
    if (fields.get('sol_wallet_address') === null) fields.set('sol_wallet_address', fields.get('wallet') ?? null);
    const [since, reason] = [fields.get('blacklisted_at'), fields.get('blacklist_reason')];
    if (since instanceof Date && reason === null) fault('blacklistReason', 'ValueMissing');
    if (since === null && typeof reason === 'string') fields.set('blacklisted_at', fields.get('created_at') ?? null);
    if (isBefore(fields, 'blacklisted_at', 'created_at')) fault('blacklistedAt', 'TooEarly');
  },

  balances: ({ fields, fault }) => {
    const [user, asset, given] = ['user_id', 'asset', 'units'].map((column) => nameOf(fields, column));
    if (user !== undefined) fields.set('owner_id', platformId('user', user));
    if (user !== undefined && asset !== undefined) fields.set('id', platformId('balance', `${asset} ${user}`));
    if (asset === undefined || given === undefined) {
      fields.delete('units');
      return;
    }
    const value = amount(asset as Asset, 'zero')(given);
    if ('code' in value) {
      fields.delete('units');
      fault('amount', value.code);
    } else fields.set('units', value.field);
  },

  stakes: ({ fields, fault }) => {
    setIds(fields, 'stake', 'stake_id');
    const [start, length] = [fields.get('created_at'), fields.get('days')];
    if (fields.get('ends_on') === null && start instanceof Date && typeof length === 'number') {
      fields.set('ends_on', new Date(start.getTime() + length * dayMs).toISOString().slice(0, 10));
    }
    const ends = nameOf(fields, 'ends_on');
    if (start instanceof Date && ends !== undefined && ends < start.toISOString().slice(0, 10)) {
      fault('endsOn', 'TooEarly');
    }
    const [status, completedAt] = [fields.get('status'), fields.get('completed_at')];
    if (status === 'Completed' && completedAt === null) fault('completedAt', 'ValueMissing');
    if (status === 'Active' && completedAt instanceof Date) fault('completedAt', 'ValueNotAllowed');
    if (isBefore(fields, 'completed_at', 'created_at')) fault('completedAt', 'TooEarly');
  },

  withdrawals: ({ fields, fault }) => {
    setIds(fields, 'withdrawal', 'withdrawal_id');
    const [status, decidedAt] = [fields.get('status'), fields.get('decided_at')];
    if (status === 'Pending' && decidedAt instanceof Date) fault('decidedAt', 'ValueNotAllowed');
    if ((status === 'Completed' || status === 'Failed') && decidedAt === null) fault('decidedAt', 'ValueMissing');
    if (status === 'Failed' && fields.get('reason') === null) fault('reason', 'ValueMissing');
    if (isBefore(fields, 'decided_at', 'created_at')) fault('decidedAt', 'TooEarly');
    const address = nameOf(fields, 'wallet');
    // What was paid is history, wherever it went.
    if (status === 'Pending' && address !== undefined && 'code' in wallet(address)) fault('wallet', 'NotAWallet');
  },

  tickets: ({ fields }) => setIds(fields, 'ticket', 'ticket_id'),
};
