import { useNavigate } from '@tanstack/react-router';
import type { RunState, Step } from 'contract/run-states.ts';
import type { RunDetail } from 'contract/runs.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { useReplan, useRunAction } from './api.ts';
import { RunDialog, type DialogKind } from './run-dialog.tsx';
import { useDisabledReason, usePermissionDenied } from './disabled-reason.ts';

type Main = { step: Exclude<Step, 'cancel' | 'reverse'>; label: string };

const start: Main = { step: 'start', label: 'Run' };

/** The primary action of each state. */
const nextActions: Partial<Record<RunState, Main>> = {
  running: { step: 'pause', label: 'Pause' },
  paused: { step: 'resume', label: 'Resume' },
  failed: { step: 'retry', label: 'Try again' },
};

export function RunActions({ detail }: { detail: RunDetail }) {
  const [question, setQuestion] = useState<DialogKind>();
  const disabledReason = useDisabledReason();
  return (
    <>
      {detail.hasUnpaidPeriod ? (
        <Replan id={detail.run.id} />
      ) : (
        <NextActionButton detail={detail} onStart={() => setQuestion('start')} />
      )}
      <Button variant="default" disabledReason={disabledReason('cancel', detail)} onClick={() => setQuestion('cancel')}>
        Cancel
      </Button>
      <Button
        variant="default"
        disabledReason={disabledReason('reverse', detail)}
        onClick={() => setQuestion('reverse')}
      >
        Reverse
      </Button>
      <RunDialog question={question} detail={detail} onClose={() => setQuestion(undefined)} />
    </>
  );
}

function NextActionButton({ detail, onStart }: { detail: RunDetail; onStart: () => void }) {
  const { steer, runAction } = useRunAction();
  const disabledReason = useDisabledReason();
  const { run } = detail;
  const { step, label } = nextActions[run.state] ?? start;
  return (
    <Button
      disabledReason={disabledReason(step, detail)}
      loading={runAction === step}
      onClick={() => (step === 'start' ? onStart() : steer(run.id, step))}
      {...(step === 'pause' && { variant: 'default' })}
    >
      {label}
    </Button>
  );
}

/** Plans the unpaid rest as a new run, and opens it for review. */
function Replan({ id }: { id: string }) {
  const navigate = useNavigate();
  const planning = useReplan({
    onDone: (planned) => void navigate({ to: '/dashboard/runs/$id', params: { id: planned } }),
  });
  return (
    <Button
      disabledReason={usePermissionDenied()}
      loading={planning.isPending}
      onClick={() => !planning.isPending && planning.mutate({ params: { id } })}
    >
      Plan again
    </Button>
  );
}
