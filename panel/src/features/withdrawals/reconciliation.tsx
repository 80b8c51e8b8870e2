import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReconciliationDifference } from 'contract/withdrawals-reconciliation.ts';
import { useState } from 'react';
import { ListTable } from '#panel/domain/list-table.tsx';
import { Card } from '#panel/ui/card.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { formatDay } from '#panel/ui/time-text.ts';
import { formatTotal } from '#panel/ui/table/view.ts';
import { differencesQuery, reconciliationsQuery } from './api.ts';
import { CloseDifference } from './close-difference.tsx';
import { differenceColumns, DifferenceActions } from './difference-columns.tsx';
import { ReconcileForm } from './reconcile-form.tsx';

const route = getRouteApi('/dashboard/manage-withdraw');

/** Compares lists of sent transfers with the withdrawals, and shows the differences that are not closed. */
export function Reconciliation() {
  const search = route.useSearch();
  const query = useQuery(differencesQuery(search));
  const [closing, setClosing] = useState<ReconciliationDifference>();
  return (
    <>
      <Card title="Compare a list">
        <ReconcileForm />
        <Past />
      </Card>
      <DifferenceActions value={{ close: setClosing }}>
        <ListTable
          label="Open differences"
          noun={{ one: 'difference', many: 'differences' }}
          columns={differenceColumns}
          query={query}
          rows={({ differences }) => differences}
          failed="Failed to fetch the differences"
          signature={differenceSignature}
          view={search}
          open={setClosing}
          filters={[]}
          empty={{
            title: 'No open differences.',
            line: 'Differences appear here when a list does not match the withdrawals.',
          }}
        />
      </DifferenceActions>
      <CloseDifference difference={closing} onClose={() => setClosing(undefined)} />
    </>
  );
}

const differenceSignature = ({ closedAt }: ReconciliationDifference) => String(closedAt !== null);

const failed = 'Failed to fetch the earlier lists';

/** The newest comparisons. */
function Past() {
  const query = useQuery(reconciliationsQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!query.data) return <SkeletonLines lines={2} label="Loading the earlier lists" />;
  const { reconciliations } = query.data;
  if (reconciliations.length === 0) return <p className="withdrawal-quiet">No list has been compared yet.</p>;
  return (
    <ul className="reconciliations" aria-label="Earlier lists">
      {reconciliations.map(({ id, from, to, madeBy, madeAt, matched, differences, open }) => (
        <li key={id}>
          {from === to ? formatDay(from) : `${formatDay(from)} to ${formatDay(to)}`}: {matched} matched,{' '}
          {formatTotal({ count: differences, capped: false }, { one: 'difference', many: 'differences' })}
          {open > 0 && `, ${open} open`}
          <span className="withdrawal-quiet">
            {' '}
            · {madeBy}, <Timestamp at={madeAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
