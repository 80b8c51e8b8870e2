import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { builtInBrowser, type ReportTab } from 'contract/reports.ts';
import { useId } from 'react';
import { useChangeView } from '#panel/domain/change-view.ts';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { ErrorState } from '#panel/ui/states.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { reportQuery, useStartExport } from './api.ts';
import { type Building, type FileType, useBrowserExport } from './browser-export.ts';
import { Exports } from './exports.tsx';
import { ReportFilters } from './filters.tsx';
import { LeftOut } from './left-out.tsx';
import { Progress } from './progress.tsx';
import { filterOf, type ReportsSearch, tabOf } from './search.ts';
import { ReportTable } from './table.tsx';
import { ReportTabs, tabId } from './tabs.tsx';
import './reports.css';

const route = getRouteApi('/dashboard/reports');

export function ReportsPage() {
  if (holds(useMe(), 'reports.read')) return <Reports />;
  return (
    <PageFrame title="Reports">
      <ErrorState title="You don't have access to reports." message={anyCallRefusals[403].PermissionDenied} />
    </PageFrame>
  );
}

function Reports() {
  const search = route.useSearch();
  const change = useChangeView();
  const panelId = useId();
  const tab = tabOf(search);
  const { building, start, cancel } = useBrowserExport();
  const choose = (next: ReportTab) => change({ tab: next === 'withdrawal' ? undefined : next, cursor: undefined });
  return (
    <PageFrame
      title="Reports"
      now="Withdrawals, stakes and tasks, newest first. Dates are in UTC."
      action={<ExportButtons search={search} building={building} start={start} />}
    >
      {building && <BrowserProgress building={building} cancel={cancel} />}
      <ReportTabs chosen={tab} choose={choose} panelId={panelId} />
      <div id={panelId} role="tabpanel" aria-labelledby={tabId(tab)} className="report-panel">
        <ReportFilters key={`filters-${tab}`} tab={tab} filter={filterOf(search)} change={change} />
        <ReportTable key={tab} search={search} change={change} />
        {tab === 'withdrawal' && <LeftOut filter={filterOf(search)} />}
      </div>
      <Exports />
    </PageFrame>
  );
}

type ButtonsProps = {
  search: ReportsSearch;
  building: Building | undefined;
  start: ReturnType<typeof useBrowserExport>['start'];
};

/** The browser builds files of up to 10,000 rows. The server builds larger ones, as CSV only. */
function ExportButtons({ search, building, start }: ButtonsProps) {
  const { data, isPlaceholderData } = useQuery(reportQuery(search));
  const starting = useStartExport();
  const tab = tabOf(search);
  const filter = filterOf(search);
  const total = isPlaceholderData ? undefined : data?.total;
  const isLarge = total !== undefined && (total.capped || total.count > builtInBrowser);
  const disabledReason = exportDisabledReason(total?.count, building);
  const inBrowser = (type: FileType) => () => total && start({ type, tab, filter, total: total.count });
  return (
    <>
      <Button
        variant="default"
        disabledReason={disabledReason}
        loading={starting.isPending}
        onClick={isLarge ? () => starting.mutate({ body: { tab, filter } }) : inBrowser('csv')}
      >
        Export CSV
      </Button>
      <Button
        variant="default"
        disabledReason={disabledReason ?? (isLarge ? tooLargeForPdf : undefined)}
        onClick={inBrowser('pdf')}
      >
        Export PDF
      </Button>
    </>
  );
}

const tooLargeForPdf = `A PDF can have at most ${formatCount(builtInBrowser)} rows. Narrow the filters, or export CSV.`;

function exportDisabledReason(count: number | undefined, building: Building | undefined) {
  if (building) return `${building.name} is being built.`;
  if (count === undefined) return 'The report has not come yet.';
  return count === 0 ? 'There is no row to export.' : undefined;
}

function BrowserProgress({ building, cancel }: { building: Building; cancel: () => void }) {
  return (
    <section className="card report-building" aria-label={`Building ${building.name}`}>
      <p className="report-export-title">Building {building.name}</p>
      <Progress
        label={`Progress of ${building.name}`}
        pace={building}
        action={
          <Button variant="default" size="xs" onClick={cancel}>
            Cancel
          </Button>
        }
      />
    </section>
  );
}
