import { useQuery } from '@tanstack/react-query';
import { RunKind, runKinds } from 'contract/run-kinds.ts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ShownState } from 'contract/run-states.ts';
import type { ListedRun } from 'contract/runs.ts';
import { ListTable } from '#panel/domain/list-table.tsx';
import { StateMark, stateNames } from '#panel/domain/run-state.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import type { Filter } from '#panel/ui/table/filters.tsx';
import { newestQuery, runsQuery } from './api.ts';
import { runColumns } from './columns.tsx';
import { formatActiveRuns } from './now.ts';
import type { RunsSearch } from './search.ts';
import { RunTabs } from './tabs.tsx';
import './runs.css';

const route = getRouteApi('/dashboard/runs');
const noun = { one: 'run', many: 'runs' };

export function RunsPage() {
  const search = route.useSearch();
  const query = useQuery(runsQuery(search));
  const newest = useQuery(newestQuery).data;
  const navigate = useNavigate();
  return (
    <PageFrame title="Runs" now={newest ? formatActiveRuns(newest.runs) : ''}>
      <RunTabs />
      <ListTable
        label="Runs"
        noun={noun}
        columns={runColumns}
        query={query}
        rows={({ runs }) => runs}
        failed="Failed to fetch runs"
        signature={runSignature}
        view={search}
        open={({ id }) => void navigate({ to: '/dashboard/runs/$id', params: { id } })}
        filters={filtersOf(search)}
        empty={{
          title: 'No runs found.',
          line: 'Runs appear here when a job is due, or when someone previews it on its page under Settings.',
        }}
      />
    </PageFrame>
  );
}

const kinds = RunKind.options.map((kind) => ({ value: kind, label: runKinds[kind].title }));
const states = ShownState.options.map((state) => ({
  value: state,
  label: stateNames[state],
  mark: <StateMark state={state} />,
}));

const filtersOf = ({ kind, state }: RunsSearch): Filter[] => [
  { key: 'kind', label: 'Job', value: kind, choices: kinds },
  { key: 'state', label: 'State', value: state, choices: states },
];

const runSignature = ({ state, reversed, net }: ListedRun) => `${state} ${reversed} ${net}`;
