import type { ReactNode } from 'react';
import { Logo } from '#panel/ui/brand.tsx';
import './front.css';

/** The page outside the dashboard: the logo and one form. */
export function Front({ children }: { children: ReactNode }) {
  return (
    <main className="front">
      <Logo />
      {children}
    </main>
  );
}

/** Always rendered, because screen readers announce only text that is added to an existing alert. */
export function FrontAlert({
  id,
  message,
  cause,
}: {
  id: string;
  message?: string | undefined;
  cause?: string | undefined;
}) {
  return (
    <div id={id} className="front-alert" role="alert">
      {message && <p>{message}</p>}
      {cause && <p className="front-alert-cause">{cause}</p>}
    </div>
  );
}
