import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { SkipReason, skipText } from 'contract/runs-lines.ts';
import type { RunDetail } from 'contract/runs.ts';
import { lazy, useMemo } from 'react';
import { ListTable } from '#panel/domain/list-table.tsx';
import { useMe } from '#panel/shell/me.ts';
import { useDetailRoute } from '#panel/domain/detail-route.ts';
import { Button } from '#panel/ui/button.tsx';
import { RowDrawer } from '#panel/ui/row-drawer.tsx';
import type { Filter } from '#panel/ui/table/filters.tsx';
import { AmountSearch } from './amount-search.tsx';
import { type Line, linesQuery, useExportLines } from './api.ts';
import { lineColumns } from './line-columns.tsx';
import type { RunSearch } from './search.ts';

const route = getRouteApi('/dashboard/runs/$id');
const noun = { one: 'payment', many: 'payments' };

const noneDue = 'No payments are due for this period.';
const deleted = 'This plan was canceled before it was started, so its payments were deleted. Its totals are kept.';

const LineView = lazy(async () => ({ default: (await import('./line-view.tsx')).LineView }));

export function RunLines({ detail: { run } }: { detail: RunDetail }) {
  const search = route.useSearch();
  const query = useQuery(linesQuery(run, search));
  const { open, close } = useDetailRoute('line', search.line);
  const { kind, asset, reverses, state } = run;
  const columns = useMemo(() => lineColumns({ kind, asset, reverses, state }), [kind, asset, reverses, state]);
  return (
    <section id="lines" className="run-lines" aria-labelledby="lines-title">
      <div className="run-lines-head">
        <h2 id="lines-title" className="run-section">
          Payments
        </h2>
        <ExportLines run={run} />
      </div>
      <ListTable
        label="Payments of the run"
        noun={noun}
        columns={columns}
        query={query}
        rows={({ lines }) => lines}
        failed="Couldn't load the payments"
        searchLabel="Search user"
        tools={<AmountSearch value={search.amount} />}
        defaultSort="user"
        signature={lineSignature}
        view={search}
        open={open}
        filters={filtersOf(search, query.data?.lines)}
        empty={{
          title: 'No payments found.',
          line: state === 'cancelled' && run.startedAt === null ? deleted : noneDue,
        }}
      />
      <RowDrawer title="Why this amount" View={LineView} id={search.line} rows={query.data?.lines} onClose={close} />
    </section>
  );
}

function ExportLines({ run: { id, planHash } }: { run: RunDetail['run'] }) {
  const exporting = useExportLines();
  const denied = holds(useMe(), 'reports.read') ? undefined : anyCallRefusals[403].PermissionDenied;
  return (
    <Button
      variant="default"
      size="compact-sm"
      disabledReason={denied ?? (planHash === null ? 'This run isn’t planned yet.' : undefined)}
      loading={exporting.isPending}
      onClick={() => exporting.mutate({ body: { tab: 'run', filter: { run: id } } })}
    >
      Export payments
    </Button>
  );
}

const reasons = SkipReason.options.map((reason) => ({ value: reason, label: skipText[reason] }));

function filtersOf({ skip, user, amount }: RunSearch, lines: readonly Line[] | undefined): Filter[] {
  const name = lines?.find((line) => line.user.id === user)?.user.username;
  return [
    { key: 'skip', label: 'Skipped', value: skip, choices: reasons },
    { key: 'user', label: 'User', value: user && (name ?? 'one user'), choices: [] },
    { key: 'amount', label: 'Amount', value: amount, choices: [] },
  ];
}

const lineSignature = ({ paid, reversed }: Line) => `${paid} ${reversed}`;
