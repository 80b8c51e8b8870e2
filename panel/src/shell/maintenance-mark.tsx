import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readMaintenance } from 'contract/maintenance.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { queryFor } from './query.ts';

const maintenanceQuery = queryFor(readMaintenance, {});

/**
 * Whoever works while the platform is closed to its users should know it, on every screen.
 * It also tells when that could not be asked for anew, for the screens that show the same.
 */
export function MaintenanceMark() {
  const query = useQuery(maintenanceQuery);
  useReportedFailure('The maintenance mode could not be loaded.', query, { saidInPlace: query.isLoadingError });
  const { data } = query;
  if (!data?.maintenance.active) return null;
  return (
    <Link to="/dashboard/maintenance" className="top-bar-maintenance">
      Under maintenance
    </Link>
  );
}
