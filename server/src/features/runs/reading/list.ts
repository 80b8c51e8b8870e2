import { writeAmount } from 'contract/core/money.ts';
import { rowsByDefault } from 'contract/core/paging.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import type { ShownState } from 'contract/run-states.ts';
import type { Db } from '#server/core/db/db.ts';
import { selectPage } from '../store/run-queries.ts';
import { shown } from '../store/wire.ts';

type Params = {
  kind?: RunKind | undefined;
  state?: ShownState | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

export async function listRuns(db: Db, { limit, ...filters }: Params) {
  const { rows, ...page } = await selectPage(db, { ...filters, limit: limit ?? rowsByDefault });
  const runs = rows.map((row) => ({
    ...shown(row),
    paidLines: Number(row.paidLines),
    paid: writeAmount(row.paid, row.asset),
    net: writeAmount(row.net, row.asset),
  }));
  return { runs, ...page };
}
