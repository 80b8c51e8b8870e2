import { writeAmount } from 'contract/core/money.ts';
import type { Run } from 'contract/runs.ts';
import type { RunRow } from './run-queries.ts';

export function shown({ lines, skipped, budget, pays, setsAside, keeps, releases, returned, ...row }: RunRow): Run {
  const { asset } = row;
  return {
    id: row.id,
    kind: row.kind,
    period: row.period,
    day: row.day,
    asset,
    state: row.state,
    reversed: row.reversed,
    why: row.why,
    reverses: row.reverses,
    reason: row.reason,
    onlyUser: row.onlyUser,
    settingsVersion: row.settingsVersion,
    planHash: row.planHash,
    lines: Number(lines),
    skipped: Number(skipped),
    budget: writeAmount(budget, asset),
    pays: writeAmount(pays, asset),
    setsAside: writeAmount(setsAside, asset),
    keeps: writeAmount(keeps, asset),
    releases: writeAmount(releases, asset),
    returned: writeAmount(returned, asset),
    plannedBy: row.plannedBy,
    createdAt: row.createdAt,
    plannedAt: row.plannedAt,
    startedBy: row.startedBy,
    approvedBy: row.approvedBy,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
  };
}
