import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { TransferKind } from 'contract/ledger.ts';
import { sayJob, sayPeriod } from '#panel/shell/run-words.ts';
import { WhyAmount } from '#panel/shell/why-amount.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { whyQuery } from './api.ts';

export const paidByRuns: ReadonlySet<TransferKind> = new Set<TransferKind>([
  'stake-base',
  'stake-bonus',
  'stake-loyalty',
  'loyalty',
  'gmp',
  'referral',
  'rank-bonus',
]);

/** The line of the plan by which a run posted it, with its formulas. */
export function Why({ id }: { id: string }) {
  return (
    <section aria-labelledby="transfer-why">
      <h3 id="transfer-why" className="transfer-section">
        Why this amount
      </h3>
      <Told id={id} />
    </section>
  );
}

function Told({ id }: { id: string }) {
  const query = useQuery(whyQuery(id));
  const { data, error } = query;
  if (error && !data) return <LoadError title="Failed to fetch why" query={query} />;
  if (!data) return <SkeletonLines lines={4} label="Loading why" />;
  const { why } = data;
  // The ledger may be older than the runs.
  if (!why) return <p className="ledger-quiet">Posted before runs were kept.</p>;
  return (
    <>
      <WhyAmount {...why} />
      <p className="transfer-run">
        By the settings, version {why.run.settingsVersion}, in the run{' '}
        <Link to="/dashboard/runs/$id" params={{ id: why.run.id }} className="ledger-link">
          {sayJob(why.run)}, {sayPeriod(why.run)}
        </Link>
      </p>
    </>
  );
}
