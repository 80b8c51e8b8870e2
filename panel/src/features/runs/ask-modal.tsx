import type { RunLine } from 'contract/runs-lines.ts';
import type { RunDetail } from 'contract/runs.ts';
import { lazy, Suspense, useState } from 'react';
import { useLast } from '#panel/ui/opening.ts';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';

// Fetched when it is first wanted: the page is quicker without it.
const StartForm = lazy(async () => ({ default: (await import('./start-form.tsx')).StartForm }));
const CancelForm = lazy(async () => ({ default: (await import('./cancel-form.tsx')).CancelForm }));
const ReverseForm = lazy(async () => ({ default: (await import('./reverse-form.tsx')).ReverseForm }));

export type Question = 'start' | 'cancel' | 'reverse';

type Props = {
  asked: Question | undefined;
  detail: RunDetail;
  /** A payment to the one user for whom alone it is reversed. */
  line?: RunLine;
  onClose: () => void;
};

const titles: Record<Question, string> = { start: 'Run', cancel: 'Cancel Run', reverse: 'Reverse Run' };

/** Says exactly what will happen, with figures, before it does. */
export function AskModal({ asked, detail, line, onClose }: Props) {
  const last = useLast(asked);
  const [turn, setTurn] = useState(0);
  const [known, setKnown] = useState(asked);
  // The next question starts empty.
  if (known !== asked) {
    setKnown(asked);
    if (asked !== undefined) setTurn(turn + 1);
  }
  return (
    <Modal title={last ? titles[last] : ''} opened={asked !== undefined} onClose={onClose}>
      <Suspense fallback={<SkeletonLines lines={4} />}>
        {last === 'start' && <StartForm key={turn} detail={detail} onDone={onClose} />}
        {last === 'cancel' && <CancelForm key={turn} detail={detail} onDone={onClose} />}
        {last === 'reverse' && <ReverseForm key={turn} detail={detail} line={line} onDone={onClose} />}
      </Suspense>
    </Modal>
  );
}
