import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readMaintenance } from 'contract/maintenance.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { queryFor } from './query.ts';

const maintenanceQuery = queryFor(readMaintenance, {});

/**
 * Shows on every screen that the platform is closed to its users. Also reports failed refreshes of the maintenance
 * mode, for all screens that show it.
 */
export function MaintenanceMark() {
  const query = useQuery(maintenanceQuery);
  useReportedFailure('The maintenance mode could not be loaded.', query, { shownInline: query.isLoadingError });
  const { data } = query;
  if (!data?.maintenance.active) return null;
  return (
    <Link to="/dashboard/maintenance" className="top-bar-maintenance">
      Under maintenance
    </Link>
  );
}
