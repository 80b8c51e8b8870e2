import { useQuery } from '@tanstack/react-query';
import type { PolicyReport } from 'contract/security.ts';
import { Card } from '#panel/ui/card.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { policyReportsQuery } from './api.ts';

export function PolicyReports() {
  return (
    <Card title="Content policy reports">
      <p className="security-note">
        Content that browsers blocked in this panel in the last 30 days, usually from browser extensions.
      </p>
      <Reports />
    </Card>
  );
}

function Reports() {
  const query = useQuery(policyReportsQuery);
  if (query.isLoadingError) return <LoadError title="Failed to fetch the reports" query={query} />;
  if (!query.data) return <SkeletonLines lines={3} label="Loading the reports" />;
  const { reports } = query.data;
  if (reports.length === 0) return <p className="security-none">No reports.</p>;
  return (
    <ul className="security-rows">
      {reports.map((report) => (
        <Report key={`${report.directive} ${report.blocked}`} report={report} />
      ))}
    </ul>
  );
}

function Report({ report: { directive, blocked, reports, lastAt } }: { report: PolicyReport }) {
  return (
    <li className="security-row">
      <div>
        <span className="security-name">{directive}</span>
        <p className="security-facts">
          <code className="security-blocked">{blocked}</code>
        </p>
      </div>
      <p className="security-facts">
        <span>{reports === 1 ? '1 report' : `${formatCount(reports)} reports`}</span>
        <Timestamp at={lastAt} />
      </p>
    </li>
  );
}
