import { runTitle } from 'contract/run-kinds.ts';
import type { Run } from 'contract/runs.ts';
import { runKindText } from './run-kinds.ts';

export const formatPeriod = ({ kind, period }: Pick<Run, 'kind' | 'period'>) => runKindText[kind].formatPeriod(period);

/** Formats the full name of a run: "Reversal of stake payout, 14 Nov 2026". */
export const formatRun = (run: Pick<Run, 'kind' | 'reverses' | 'period'>) => `${runTitle(run)}, ${formatPeriod(run)}`;
