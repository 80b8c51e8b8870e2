import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Transfer, TransferKind } from 'contract/ledger.ts';
import { runKinds } from 'contract/run-kinds.ts';
import { formatRun } from '#panel/domain/run-text.ts';
import { WhyAmount } from '#panel/domain/why-amount.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { whyQuery } from './api.ts';

const paidByRuns: ReadonlySet<TransferKind> = new Set(
  Object.values(runKinds)
    .flatMap(({ transferKinds }) => transferKinds)
    .filter((kind) => kind !== 'stake'),
);

/** Whether a run posted the transfer. Users place stakes; runs return them or lock them again. */
export const isByRun = ({ kind, from, reverses }: Transfer) =>
  paidByRuns.has(kind) || (kind === 'stake' && (from === 'staked' || reverses !== null));

/** Shows the plan line that the run posted, with its formulas. */
export function Why({ id }: { id: string }) {
  return (
    <section aria-labelledby="transfer-why">
      <h3 id="transfer-why" className="transfer-section">
        Why this amount
      </h3>
      <Explanation id={id} />
    </section>
  );
}

function Explanation({ id }: { id: string }) {
  const query = useQuery(whyQuery(id));
  const { data, error } = query;
  if (error && !data) return <LoadError title="Failed to fetch why" query={query} />;
  if (!data) return <SkeletonLines lines={4} label="Loading why" />;
  const { why, archive } = data;
  if (archive) {
    return (
      <p className="ledger-quiet">
        The details of this payment were archived <Timestamp at={archive.at} /> in the file {archive.file}.
      </p>
    );
  }
  // Transfers may predate the feature of runs.
  if (!why) return <p className="ledger-quiet">Posted before runs were kept.</p>;
  return (
    <>
      <WhyAmount {...why} />
      <p className="transfer-run">
        {why.run.reverses === null ? `Settings used (version ${why.run.settingsVersion}), in the run` : 'In the run'}{' '}
        <Link to="/dashboard/runs/$id" params={{ id: why.run.id }} className="ledger-link">
          {formatRun(why.run)}
        </Link>
        {why.run.reason !== null && `: ${why.run.reason}`}
      </p>
    </>
  );
}
