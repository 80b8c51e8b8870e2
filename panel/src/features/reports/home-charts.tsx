import type { Analytics } from 'contract/reports.ts';
import { type ReactNode, useState } from 'react';
import { formatCount } from '#panel/ui/table/view.ts';
import { formatMonth } from '#panel/ui/time-text.ts';
import { BarChart } from './home-bars.tsx';
import { ChartCard, charts } from './home-cards.tsx';
import { Gauge } from './home-gauge.tsx';
import { LineChart } from './home-line.tsx';
import { Pie } from './home-pie.tsx';
import './home-charts.css';

const [registrationsCard, engagementCard, actionsCard, interactionsCard] = charts;

export function HomeCharts({ analytics }: { analytics: Analytics }) {
  const { registrations, actions, interactions, engagement } = analytics;
  const months = registrations.map(({ month, count }) => ({
    name: formatMonth(new Date(`${month}T00:00:00Z`)),
    count,
  }));
  const actionCounts = actions.map(({ kind, count }) => ({ name: kind, count }));
  const interactionCounts = interactions.map(({ kind, count }) => ({ name: kind, count }));
  return (
    <>
      <Switchable {...registrationsCard} rows={months} columns={['Month', 'Registrations']}>
        <LineChart label="User registrations by month" points={months} />
      </Switchable>
      <Switchable
        {...engagementCard}
        rows={[
          { name: 'Active users', count: engagement.active },
          { name: 'All users', count: engagement.users },
          { name: 'Engagement', count: engagement.percent, unit: '%' },
        ]}
        columns={['Measure', 'Value']}
      >
        <Gauge {...engagement} />
      </Switchable>
      <Switchable {...actionsCard} rows={actionCounts} columns={['Action', 'Count']}>
        <BarChart label="User actions" bars={actionCounts} />
      </Switchable>
      <Switchable {...interactionsCard} rows={interactionCounts} columns={['Interaction', 'Count']}>
        <Pie label="Interactions" slices={interactionCounts} />
      </Switchable>
    </>
  );
}

type Row = { name: string; count: number; unit?: string };
type SwitchableProps = (typeof charts)[number] & { rows: Row[]; columns: [string, string]; children: ReactNode };

/** Shows the same figures as a chart or as a table. */
function Switchable({ rows, columns, children, ...card }: SwitchableProps) {
  const [asTable, setAsTable] = useState(false);
  const action = (
    <button type="button" className="home-switch" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
      Show as table
    </button>
  );
  return (
    <ChartCard {...card} action={action}>
      {asTable ? <FigureTable caption={card.title} rows={rows} columns={columns} /> : children}
    </ChartCard>
  );
}

type FigureTableProps = { caption: string; rows: Row[]; columns: [string, string] };

function FigureTable({ caption, rows, columns: [name, value] }: FigureTableProps) {
  return (
    <table className="home-table" aria-label={caption}>
      <thead>
        <tr>
          <th scope="col">{name}</th>
          <th scope="col">{value}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            <td>
              {formatCount(row.count)}
              {row.unit}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
