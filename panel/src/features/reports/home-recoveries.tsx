import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listRecoveries, type Recovery } from 'contract/admins-recovery.ts';
import { queryFor } from '#panel/shell/query.ts';
import { Status } from '#panel/ui/status.tsx';
import { formatUtc } from '#panel/ui/time-text.ts';

const recoveriesQuery = queryFor(listRecoveries, {});

/** Shown to every Super Admin, so that nobody gets into the account of another one without the others knowing. */
export function RecoveryNotices() {
  const { data } = useQuery(recoveriesQuery);
  return data?.recoveries.map((recovery) => (
    <Link
      key={recovery.id}
      to="/dashboard/admin-profile/$id"
      params={{ id: recovery.admin.id }}
      className="card home-blocked"
    >
      <Status tone="waiting">{formatNotice(recovery)}</Status>
    </Link>
  ));
}

function formatNotice({ admin, reason, requestedBy, approvedBy, recoveredAt }: Recovery) {
  if (recoveredAt === null) {
    return `${approvedBy} approved the recovery of ${admin.username}, requested by ${requestedBy}: ${reason}`;
  }
  const by = requestedBy === null ? 'on the command line of the server' : `by ${requestedBy} and ${approvedBy}`;
  const why = reason === null ? '' : ` Reason: ${reason}`;
  return `${admin.username} was recovered ${by} on ${formatUtc(recoveredAt)}.${why}`;
}
