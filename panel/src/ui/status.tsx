import './status.css';

export type Tone = 'good' | 'waiting' | 'moving' | 'bad' | 'quiet' | 'reversed' | 'partly-reversed';

/** A dot and a word: the same tones on every screen. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className="status" data-tone={tone}>
      {children}
    </span>
  );
}
