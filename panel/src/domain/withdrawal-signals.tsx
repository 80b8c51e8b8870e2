import type { Signal } from 'contract/withdrawals-signals.ts';
import './withdrawal-marks.css';

const sentences: Record<Signal, string> = {
  'new wallet': 'This user has never been paid to this wallet.',
  'shared wallet': 'Another user has this wallet on their profile or has withdrawn to it.',
  'first withdrawal': 'This is the user’s first withdrawal, not counting failed ones.',
  'more than half of the balance': 'The amount is more than half of the user’s balance at the time of the request.',
  'several within a day': 'The user requested another withdrawal within 24 hours.',
  'sponsor blacklisted': 'The sponsor of this user is blacklisted.',
};

const shownInRow = 2;

/** Shows the first two signals in a row, and the number of further ones. */
export function SignalMarks({ signals }: { signals: readonly Signal[] }) {
  if (signals.length === 0) return null;
  const more = signals.length - shownInRow;
  return (
    <span className="signal-marks" title={signals.join(', ')}>
      {signals.slice(0, shownInRow).map((signal) => (
        <span key={signal} className="signal-mark">
          {signal}
        </span>
      ))}
      {more > 0 && <span className="signal-more">and {more} more</span>}
    </span>
  );
}

export function SignalSentences({ signals }: { signals: readonly Signal[] }) {
  if (signals.length === 0) return <p className="signal-none">No risk signals.</p>;
  return (
    <ul className="signal-list">
      {signals.map((signal) => (
        <li key={signal}>
          <span className="signal-mark">{signal}</span>
          <span className="signal-sentence">{sentences[signal]}</span>
        </li>
      ))}
    </ul>
  );
}
