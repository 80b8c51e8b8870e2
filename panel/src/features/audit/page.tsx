import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { holds } from 'contract/core/permissions.ts';
import { lazy } from 'react';
import { useChangeView } from '#panel/domain/change-view.ts';
import { Days } from '#panel/domain/days.tsx';
import { useDetailRoute } from '#panel/domain/detail-route.ts';
import { ListTable } from '#panel/domain/list-table.tsx';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { RowDrawer } from '#panel/ui/row-drawer.tsx';
import { EmptyState } from '#panel/ui/states.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { choicesQuery, entriesQuery, useExportEntries } from './api.ts';
import './audit.css';
import { entryColumns } from './columns.tsx';
import { filtersOf } from './filters.ts';
import { type AuditSearch, filterOf } from './search.ts';
import { Verification } from './verification.tsx';

const route = getRouteApi('/dashboard/audit');
const noun = { one: 'row', many: 'rows' };

const EntryView = lazy(async () => ({ default: (await import('./entry-view.tsx')).EntryView }));

export function AuditPage() {
  if (!holds(useMe(), 'audit.read')) {
    return (
      <PageFrame title="Audit Log">
        <EmptyState
          title="You don't have access to the audit log."
          line="Super Admins and auditors can read it. Ask a Super Admin if you need to know who changed something."
        />
      </PageFrame>
    );
  }
  return <AuditLog />;
}

function AuditLog() {
  const search = route.useSearch();
  const query = useQuery(entriesQuery(search));
  const { data: choices } = useQuery(choicesQuery);
  const change = useChangeView();
  const { open, close } = useDetailRoute('entry', search.entry);
  return (
    <PageFrame
      title="Audit Log"
      now={query.data ? formatTotal(query.data.total, noun) : ''}
      action={<ExportEntries search={search} />}
    >
      <Verification />
      <div className="audit-list">
        <Days view={search} change={change} />
        <ListTable
          label="Audit log"
          noun={noun}
          columns={entryColumns}
          query={query}
          rows={({ entries }) => entries}
          failed="Failed to fetch the audit log"
          signature={({ id }) => id}
          view={search}
          open={open}
          filters={filtersOf(search, { choices, entries: query.data?.entries })}
          empty={{ title: 'No rows found.', line: 'Administrator actions appear here as they happen.' }}
        />
      </div>
      <RowDrawer title="Audit row" View={EntryView} id={search.entry} rows={query.data?.entries} onClose={close} />
    </PageFrame>
  );
}

function ExportEntries({ search }: { search: AuditSearch }) {
  const exporting = useExportEntries();
  return (
    <Button
      variant="default"
      loading={exporting.isPending}
      onClick={() => exporting.mutate({ body: { tab: 'audit', filter: { audit: filterOf(search) } } })}
    >
      Export CSV
    </Button>
  );
}
