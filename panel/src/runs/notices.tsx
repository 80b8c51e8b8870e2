import { Link } from '@tanstack/react-router';
import type { RunState } from 'contract/run-states.ts';
import type { RunDetail } from 'contract/runs.ts';
import { Notice } from '#panel/ui/notice.tsx';

const tones: Partial<Record<RunState, 'bad' | 'waiting'>> = { failed: 'bad', refused: 'bad' };

/** Why it is as it is, before anything else. */
export function RunNotices({ detail: { run, approval, settings } }: { detail: RunDetail }) {
  return (
    <>
      {run.why !== null && <Notice tone={tones[run.state] ?? 'waiting'}>{run.why}</Notice>}
      {run.state === 'waiting' && (
        <Notice tone="waiting">
          A second person is asked to approve exactly this plan. Nothing moves before that.{' '}
          <Link to="/dashboard/approvals" search={{ approval: approval ?? undefined }} className="run-link">
            Open the request
          </Link>
        </Notice>
      )}
      {run.reverses !== null && run.reason !== null && (
        <Notice tone="waiting">
          Takes back{' '}
          <Link to="/dashboard/runs/$id" params={{ id: run.reverses }} className="run-link">
            an earlier run
          </Link>
          {settings['person'] !== undefined && ', for one person alone'}: {run.reason}
        </Notice>
      )}
    </>
  );
}
