import type { ShownState } from 'contract/run-states.ts';
import { runKinds } from 'contract/run-kinds.ts';
import type { LineSort, SkipReason } from 'contract/runs-lines.ts';
import { z } from 'zod';
import { inAddress, oneOf, viewSearch } from '#panel/ui/table/view.ts';

export type RunsSearch = z.output<typeof runsSearch>;
export const runsSearch = z.object({
  ...viewSearch,
  kind: oneOf(runKinds),
  state: oneOf<ShownState>({
    planning: true,
    planned: true,
    waiting: true,
    running: true,
    paused: true,
    failed: true,
    completed: true,
    cancelled: true,
    refused: true,
    'partly-reversed': true,
    reversed: true,
  }),
});

export type RunSearch = z.output<typeof runSearch>;
export const runSearch = z.object({
  ...viewSearch,
  skip: oneOf<SkipReason>({
    blacklisted: true,
    deleted: true,
    paid: true,
    nothing: true,
    'not-staked': true,
    spent: true,
    ended: true,
    late: true,
  }),
  user: inAddress(z.uuid()),
  /** An amount or a range, as entered. */
  amount: inAddress(z.string().trim().min(1).max(40)),
  sort: oneOf<LineSort>({ user: true, '-user': true, amount: true, '-amount': true }),
  /** The line that is open over the list, as user and cause. */
  line: inAddress(z.string().regex(/^[0-9a-f-]{36}\.[0-9a-f-]{36}$/)),
});

export const calendarSearch = z.object({ month: inAddress(z.string().regex(/^20\d{2}-(0[1-9]|1[0-2])$/)) });
