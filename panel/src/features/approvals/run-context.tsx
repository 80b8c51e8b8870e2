import { useQuery } from '@tanstack/react-query';
import { readRun, type RunDetail } from 'contract/runs.ts';
import { skipText } from 'contract/runs-lines.ts';
import { coverFacts } from '#panel/domain/cover-facts.tsx';
import { formatPeriod } from '#panel/domain/run-text.ts';
import { queryFor } from '#panel/shell/query.ts';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { type Fact, Facts } from '#panel/ui/facts.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatCount } from '#panel/ui/table/view.ts';

/** What the requester saw on the page of the run: the treasury, the run before it, and who is skipped. */
export function RunContext({ id }: { id: string }) {
  const query = useQuery(queryFor(readRun, { params: { id } }));
  if (query.isLoadingError) return <LoadError title="Failed to fetch the run" query={query} />;
  if (!query.data) return <SkeletonLines lines={4} label="Loading the run" />;
  const facts = [...coverFacts(query.data), ...planFacts(query.data)];
  if (facts.length === 0) return null;
  return (
    <section aria-labelledby="approval-run">
      <h3 id="approval-run" className="approval-section">
        Now
      </h3>
      <Facts facts={facts} />
    </section>
  );
}

function planFacts({ run, before, skips }: RunDetail): Fact[] {
  return [
    ...(before
      ? [
          {
            name: `Previous run (${formatPeriod({ kind: run.kind, period: before.period })})`,
            value: <AssetAmount amount={before.pays} asset={run.asset} />,
          },
        ]
      : []),
    ...skips.map(({ reason, lines }) => ({ name: `Skipped: ${skipText[reason]}`, value: formatCount(lines) })),
  ];
}
