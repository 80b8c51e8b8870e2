import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import './page-frame.css';

type PageFrameProps = {
  title: string;
  /** One line about the current state, such as "12 pending, $48,210". */
  now?: ReactNode;
  /** The primary action, at the right of the title. */
  action?: ReactNode;
  /** The link above the title, back to the list that a detail page belongs to. */
  back?: ReactNode;
  children?: ReactNode;
};

/** The frame of every screen: title, one line, primary action; then cards, filters, table. */
export function PageFrame({ title, now, action, back, children }: PageFrameProps) {
  useDocumentTitle(`${title} · Bursar`);
  return (
    <div className="page-frame">
      <div className="page-frame-head">
        {back && <div className="page-frame-back">{back}</div>}
        <div>
          <h1 className="page-frame-title">{title}</h1>
          {now !== undefined && <p className="page-frame-now">{now}</p>}
        </div>
        {action && <div className="page-frame-action">{action}</div>}
      </div>
      {children}
    </div>
  );
}
