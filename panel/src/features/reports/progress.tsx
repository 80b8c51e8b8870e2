import type { ReactNode } from 'react';
import { type Pace, formatPace } from './report-text.ts';
import '#panel/ui/progress-bar.css';

type Props = { label: string; pace: Pace; action: ReactNode };

/** The progress of an export: bar, counts, rate and time left, and the button that cancels it. */
export function Progress({ label, pace, action }: Props) {
  const { done, total } = pace;
  return (
    <div className="report-progress">
      <progress
        className="progress-bar report-bar"
        aria-label={label}
        {...(total !== null && total > 0 && { value: done, max: total })}
      />
      <p className="report-pace">
        {formatPace(pace).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </p>
      {action}
    </div>
  );
}
