import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { currentStepUpRequest, onStepUpRequest, finishStepUp } from './step-up.ts';

// Loaded on first use, because most pages never ask.
const StepUpForm = lazy(async () => ({ default: (await import('./step-up-form.tsx')).StepUpForm }));

/** Opens when a call needs a recent proof of who the administrator is. */
export function StepUpDialog() {
  const { number, opened } = useSyncExternalStore(onStepUpRequest, currentStepUpRequest);
  // Cancels a pending request when the dialog unmounts.
  useEffect(() => () => finishStepUp(false), []);
  // A new modal each time, so that it is above the one that sent the call.
  return (
    <Modal key={number} title="Confirm it's you" opened={opened} onClose={() => finishStepUp(false)}>
      <Suspense fallback={<SkeletonLines lines={3} />}>
        <StepUpForm />
      </Suspense>
    </Modal>
  );
}
