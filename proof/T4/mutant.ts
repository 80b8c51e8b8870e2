import type { Chance } from '../processes/chance.ts';
import { type Change, copyCode } from '../processes/code.ts';
import { openFixture } from '../processes/fixture.ts';
import { startProcesses } from './process-group.ts';
import { decideWithdrawals } from './withdrawals.ts';

/** A decision takes no lock and checks neither the state of the request nor who made it. */
export const unlocked: Change[] = [
  {
    file: 'server/src/core/approvals/queries.ts',
    from: "tx.selectFrom('approval').select('id').where('id', '=', id).forUpdate()",
    to: "tx.selectFrom('approval').select('id').where('id', '=', id)",
  },
  {
    file: 'server/src/features/withdrawals/queries.ts',
    from: "tx.selectFrom('withdrawal').select('id').where('id', '=', id).forUpdate()",
    to: "tx.selectFrom('withdrawal').select('id').where('id', '=', id)",
  },
  {
    file: 'server/src/core/approvals/service.ts',
    from: '  if (refusal) throw new Refusal(refusal);\n',
    to: '',
  },
  {
    file: 'contract/src/withdrawals.ts',
    from: "  return state === 'requested' ? undefined : ('WithdrawalDecided' as const);\n",
    to: "  return state === 'requested' ? undefined : undefined;\n",
  },
];

/** Drops the database constraints that would prevent a second decision. */
const witnesses = `
  drop trigger approval_stays_decided on approval;
  drop trigger withdrawal_stays_decided on withdrawal;
  alter table transfer_once drop constraint transfer_once_pkey;
  drop index transfer_key;
  alter table user_total drop constraint user_total_withdrawing_usd_check`;

/** The check must see both double effects and self-approvals. */
export async function isMutantCaught(postgresUrl: string, { wanted, chance }: { wanted: number; chance: Chance }) {
  await using resources = new AsyncDisposableStack();
  const code = copyCode(unlocked);
  resources.defer(() => code.remove());
  const fixture = await openFixture(postgresUrl);
  resources.defer(() => fixture.close());
  await fixture.pool.query(witnesses);
  const processes = await startProcesses(fixture, code);
  resources.defer(() => processes.close());
  const { several, selfApprovals } = await decideWithdrawals(fixture, processes, { wanted, chance });
  return { mutantCaught: several > 0 && selfApprovals > 0, mutantSeveral: several, mutantSelfApprovals: selfApprovals };
}
