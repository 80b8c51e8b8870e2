import { type FactKey, writeFactAmount } from 'contract/approvals-facts.ts';
import { movedBy } from 'contract/runs.ts';
import type { Fact, Payload } from '#server/core/approvals/payload.ts';
import type { RunRow } from '../store/run-queries.ts';

/** What an administrator or the schedule decides when a run starts: exactly its plan. */
export const decisionOn = (run: RunRow) => ({
  kind: 'run' as const,
  subjectId: run.id,
  payload: payloadOf(run),
  moves: { asset: run.asset, units: movedBy(run) },
});

function payloadOf(run: RunRow): Payload {
  const { asset, lines, skipped } = run;
  const isReversal = run.reverses !== null;
  const amount = run.pays + run.releases;
  const amountFact = (key: FactKey, units: bigint): Fact => ({ key, value: writeFactAmount(units, asset) });
  return {
    userUuid: null,
    facts: [
      { key: 'job', value: run.kind },
      { key: 'period', value: run.period },
      { key: 'direction', value: isReversal ? 'reversal' : 'run' },
      amountFact('amount', isReversal ? -amount : amount),
      ...(run.setsAside > 0n ? [amountFact('setsAside', run.setsAside)] : []),
      ...(run.returned > 0n ? [amountFact('returned', run.returned)] : []),
      ...(run.collects > 0n ? [amountFact('collects', run.collects)] : []),
      ...(isReversal ? [{ key: 'reason' as const, value: run.reason ?? '' }] : []),
      { key: 'payments', value: String(lines - skipped) },
      { key: 'skipped', value: String(skipped) },
      { key: 'settingsVersion', value: String(run.settingsVersion) },
      { key: 'planHash', value: run.planHash ?? '' },
    ],
  };
}
