import type { RunState, Step } from 'contract/run-states.ts';
import type { RunDetail } from 'contract/runs.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { useSteer } from './api.ts';
import { AskModal, type Question } from './ask-modal.tsx';
import { useWhyNot } from './why-not.ts';

type Main = { step: Exclude<Step, 'cancel' | 'reverse'>; label: string };

const start: Main = { step: 'start', label: 'Run' };

/** One button leads on, whatever that means in the state. */
const onwards: Partial<Record<RunState, Main>> = {
  running: { step: 'pause', label: 'Pause' },
  paused: { step: 'resume', label: 'Resume' },
  failed: { step: 'retry', label: 'Try again' },
};

export function RunActions({ detail }: { detail: RunDetail }) {
  const [asked, setAsked] = useState<Question>();
  const { steer, steering } = useSteer();
  const whyNot = useWhyNot();
  const { run } = detail;
  const { step, label } = onwards[run.state] ?? start;
  const goOn = () => (step === 'start' ? setAsked('start') : steer(run.id, step));
  return (
    <>
      <Button
        disabledReason={whyNot(step, detail)}
        loading={steering === step}
        onClick={goOn}
        {...(step === 'pause' && { variant: 'default' })}
      >
        {label}
      </Button>
      <Button variant="default" disabledReason={whyNot('cancel', detail)} onClick={() => setAsked('cancel')}>
        Cancel
      </Button>
      <Button variant="default" disabledReason={whyNot('reverse', detail)} onClick={() => setAsked('reverse')}>
        Reverse
      </Button>
      <AskModal asked={asked} detail={detail} onClose={() => setAsked(undefined)} />
    </>
  );
}
