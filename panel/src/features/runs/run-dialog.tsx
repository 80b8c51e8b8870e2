import type { RunLine } from 'contract/runs-lines.ts';
import type { RunDetail } from 'contract/runs.ts';
import { lazy, Suspense, useState } from 'react';
import { useLast } from '#panel/ui/opening.ts';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';

// Loaded on first use, so that the page loads faster.
const StartForm = lazy(async () => ({ default: (await import('./start-form.tsx')).StartForm }));
const CancelForm = lazy(async () => ({ default: (await import('./cancel-form.tsx')).CancelForm }));
const ReverseForm = lazy(async () => ({ default: (await import('./reverse-form.tsx')).ReverseForm }));

export type DialogKind = 'start' | 'cancel' | 'reverse';

type Props = {
  question: DialogKind | undefined;
  detail: RunDetail;
  /** Limits the reversal to the user of this payment. */
  line?: RunLine;
  onClose: () => void;
};

const titles: Record<DialogKind, string> = { start: 'Run', cancel: 'Cancel Run', reverse: 'Reverse Run' };

/** Confirms an action and shows its exact effect with figures. */
export function RunDialog({ question, detail, line, onClose }: Props) {
  const last = useLast(question);
  const [formKey, setFormKey] = useState(0);
  const [previous, setPrevious] = useState(question);
  // A new key resets the form each time the dialog opens.
  if (previous !== question) {
    setPrevious(question);
    if (question !== undefined) setFormKey(formKey + 1);
  }
  return (
    <Modal title={last ? titles[last] : ''} opened={question !== undefined} onClose={onClose}>
      <Suspense fallback={<SkeletonLines lines={4} />}>
        {last === 'start' && <StartForm key={formKey} detail={detail} onDone={onClose} />}
        {last === 'cancel' && <CancelForm key={formKey} detail={detail} onDone={onClose} />}
        {last === 'reverse' && <ReverseForm key={formKey} detail={detail} line={line} onDone={onClose} />}
      </Suspense>
    </Modal>
  );
}
