import { useQuery } from '@tanstack/react-query';
import { formatFinding } from 'contract/audit-findings.ts';
import type { AuditVerification } from 'contract/audit-verification.ts';
import { Button } from '#panel/ui/button.tsx';
import { Card } from '#panel/ui/card.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { useStartVerification, verificationQuery } from './api.ts';
import '#panel/ui/progress-bar.css';

/** The last verdict on the whole log, the progress of the next, and the button that starts it. */
export function Verification() {
  const query = useQuery(verificationQuery);
  const starting = useStartVerification();
  if (query.isLoadingError) return <LoadError title="Failed to fetch the verification." query={query} />;
  if (!query.data) return <SkeletonLines lines={3} label="Loading the verification" />;
  const { current, last, heads, publishedAt } = query.data;
  return (
    <Card title="Verification">
      <div className="audit-verification">
        <div className="audit-verdict">
          {last ? <Verdict last={last} /> : <p>The log has not been verified yet. A worker verifies it every night.</p>}
          {heads === null ? (
            publishedAt && (
              <p className="audit-quiet">
                Last signed checkpoint published <Timestamp at={publishedAt} />
              </p>
            )
          ) : (
            <Notice tone="bad">{`${inSentenceCase(formatFinding(heads))}. Check that a worker is running.`}</Notice>
          )}
        </div>
        {current ? (
          <Progress current={current} />
        ) : (
          <Button variant="default" loading={starting.isPending} onClick={() => starting.mutate({})}>
            Verify log
          </Button>
        )}
      </div>
    </Card>
  );
}

function Verdict({ last: { state, findings, rowsDone, endedAt, requestedBy } }: { last: AuditVerification }) {
  const when = endedAt && (
    <>
      , verified <Timestamp at={endedAt} /> by {requestedBy ?? 'the schedule'}
    </>
  );
  if (state === 'failed') {
    return (
      <p>
        <Status tone="waiting">The verification failed</Status>
        {when}. Check the worker’s log for the cause, then verify again.
      </p>
    );
  }
  if (findings.length === 0) {
    return (
      <p>
        <Status tone="good">Audit log intact</Status>
        {when}, {formatCount(rowsDone)} rows
      </p>
    );
  }
  return (
    <Notice tone="bad">
      <strong>The audit log has problems</strong>
      <ul className="audit-findings">
        {findings.map((finding) => (
          <li key={finding.code}>{inSentenceCase(formatFinding(finding))}</li>
        ))}
      </ul>
    </Notice>
  );
}

function Progress({ current: { rowsDone, rowsTotal, state } }: { current: AuditVerification }) {
  return (
    <div className="audit-progress">
      <progress
        className="progress-bar"
        aria-label="Progress of the verification"
        {...(state === 'running' && rowsTotal > 0 && { value: rowsDone, max: rowsTotal })}
      />
      <p className="audit-quiet">
        {state === 'waiting'
          ? 'Waiting for a worker'
          : `${formatCount(rowsDone)} of ${formatCount(rowsTotal)} rows verified. You can leave this page.`}
      </p>
    </div>
  );
}

const inSentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
