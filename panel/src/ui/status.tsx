import './status.css';

export type Tone = 'good' | 'waiting' | 'moving' | 'bad' | 'quiet' | 'reversed' | 'partly-reversed';

/** A dot and a word. Each tone means the same on every screen. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className="status" data-tone={tone}>
      {children}
    </span>
  );
}
