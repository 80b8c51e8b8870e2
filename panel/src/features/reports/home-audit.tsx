import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Finding } from 'contract/audit-verification.ts';
import { useNowMs } from '#panel/ui/clock.ts';
import { Status } from '#panel/ui/status.tsx';
import { relativeTime } from '#panel/ui/time-text.ts';
import { auditQuery } from './home-api.ts';

/** A verification starts every night, and a large log takes a while. */
const verifiedWithinMs = 26 * 3_600_000;

/** Says that the audit log is not sound, was not verified, or has no published heads; otherwise nothing. */
export function AuditNotices() {
  const { data } = useQuery(auditQuery);
  const nowMs = useNowMs();
  if (!data) return null;
  const { last, heads } = data;
  return (
    <>
      {last && last.findings.length > 0 && (
        <Link to="/dashboard/audit" className="card home-blocked">
          <Status tone="bad">The audit log has problems. Don't approve anything until the cause is known.</Status>
        </Link>
      )}
      {last?.state === 'failed' && (
        <Link to="/dashboard/audit" className="card home-blocked">
          <Status tone="waiting">The last verification of the audit log failed.</Status>
        </Link>
      )}
      {last?.endedAt && nowMs - last.endedAt.getTime() > verifiedWithinMs && (
        <Link to="/dashboard/audit" className="card home-blocked">
          <Status tone="waiting">
            {`The audit log was last verified ${relativeTime(last.endedAt, nowMs)}. Check that a worker is running.`}
          </Status>
        </Link>
      )}
      {heads && (
        <Link to="/dashboard/audit" className="card home-blocked">
          <Status tone="bad">{formatHeads(heads, nowMs)}</Status>
        </Link>
      )}
    </>
  );
}

function formatHeads({ code, since }: Finding, nowMs: number) {
  if (code === 'head-forged') return 'The newest head of the audit log was not signed by a worker.';
  const when = since ? ` ${relativeTime(since, nowMs)}` : '';
  return code === 'publisher-stopped'
    ? `Heads of the audit log are no longer published. The newest is from${when}. Check that a worker is running.`
    : `The oldest audit row without a published head was written${when}. Check that a worker is running.`;
}
