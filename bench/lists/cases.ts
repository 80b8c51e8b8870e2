import { countedAtMost } from 'contract/core/paging.ts';
import type { Address } from './client.ts';
import type { Fixture } from './fixture.ts';

/** A deep page, which starts in the middle of its list. */
type Middle = { path: string; sort: string; table: string; column: string };

/** One user has the rare name, one in fifty has the common one, and one in three thousand the middling one. */
const searchTerms = { rare: 'papertiger', common: 'novak', middling: 'amal.abel' };

const users = '/api/users';
const withdrawals = '/api/withdrawals';
const tickets = '/api/tickets/all';
const transfers = '/api/ledger/transfers';

const shallow = {
  usersFirst: { path: users, query: {} },
  usersSorted: { path: users, query: { sort: 'username' } },
  usersRare: { path: users, query: { search: searchTerms.rare } },
  usersCommon: { path: users, query: { search: searchTerms.common } },
  usersMiddling: { path: users, query: { search: searchTerms.middling } },
  // With one row, the cost is that of the session and the total.
  usersTotal: { path: users, query: { limit: '1' } },
  withdrawalsFirst: { path: withdrawals, query: {} },
  withdrawalsPending: { path: withdrawals, query: { status: 'Pending' } },
  withdrawalsRare: { path: withdrawals, query: { search: 'jdoe88' } },
  withdrawalsCommon: { path: withdrawals, query: { search: searchTerms.common } },
  withdrawalsTotal: { path: withdrawals, query: { limit: '1' } },
  ticketsFirst: { path: tickets, query: {} },
  ticketsRare: { path: tickets, query: { search: 'northstar' } },
  transfersFirst: { path: transfers, query: {} },
  transfersOfKind: { path: transfers, query: { kind: 'withdrawal' } },
} satisfies Record<string, Address>;

const deep = {
  usersDeep: { path: users, sort: '-createdAt', table: 'platform_user', column: 'created_at' },
  usersDeepSorted: { path: users, sort: 'username', table: 'platform_user', column: 'username' },
  withdrawalsDeep: { path: withdrawals, sort: '-date', table: 'withdrawal', column: 'created_at' },
  withdrawalsDeepSorted: { path: withdrawals, sort: 'amount', table: 'withdrawal', column: 'amount_usd' },
} satisfies Record<string, Middle>;

export type Name = keyof typeof shallow | keyof typeof deep;
export const names = [...Object.keys(shallow), ...Object.keys(deep)] as Name[];

/** The matches of this search grow with the number of users, and each has to be found to be counted. */
export const growsByNature: ReadonlySet<Name> = new Set(['usersMiddling']);

export type Cases = Record<Name, Address>;

export async function findCases(fixture: Fixture): Promise<Cases> {
  const found: Partial<Cases> = { ...shallow };
  for (const [name, middle] of Object.entries(deep)) found[name as Name] = await inTheMiddle(fixture, middle);
  return found as Cases;
}

async function inTheMiddle(fixture: Fixture, { path, sort, table, column }: Middle): Promise<Address> {
  const row = Math.floor(fixture.size / 2);
  const at = await fixture.rowAt(table, column, row);
  const cursor = Buffer.from(JSON.stringify({ sort, way: 'next', at, row })).toString('base64url');
  return { path, query: { sort, cursor } };
}

type Answer = { total: { count: number; capped: boolean }; nextCursor: string | null } & Record<string, unknown>;

/** Checks the rows and the total of every case once, because a fast wrong response is worth nothing. */
export async function assertAnswers(fixture: Fixture, cases: Cases) {
  for (const name of names) {
    const { total, ...answer } = JSON.parse((await fixture.ask(cases[name])).text) as Answer;
    const rows = Object.values(answer).find((value) => Array.isArray(value))?.length ?? 0;
    const wanted = Math.min(Number(cases[name].query['limit'] ?? 25), total.count);
    const right = rows === wanted && (total.capped ? total.count === countedAtMost : total.count > 0);
    if (!right) throw new Error(`${name} of ${fixture.size}: ${rows} rows, ${JSON.stringify(total)}.`);
  }
}
