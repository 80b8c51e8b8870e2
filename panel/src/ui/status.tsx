import './status.css';

export type Tone = 'good' | 'waiting' | 'moving' | 'bad' | 'quiet';

/** A dot and a word: the same five tones on every screen. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className="status" data-tone={tone}>
      {children}
    </span>
  );
}
