import type { ReactNode } from 'react';
import './notice.css';
import { ShortId } from './short-id.tsx';

type NoticeProps = { tone: 'good' | 'bad' | 'waiting'; children: ReactNode; reference?: string | undefined };

/** An inline alert: what a form did, or why it failed. */
export function Notice({ tone, children, reference }: NoticeProps) {
  return (
    <div className="notice" role="alert" data-tone={tone}>
      {children}
      {reference && (
        <span className="notice-reference">
          Reference <ShortId id={reference} />
        </span>
      )}
    </div>
  );
}
