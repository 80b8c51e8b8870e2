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

/** Stands in the page from the start: what is put into it later is read out. */
export function FrontAlert({
  id,
  words,
  cause,
}: {
  id: string;
  words?: string | undefined;
  cause?: string | undefined;
}) {
  return (
    <div id={id} className="front-alert" role="alert">
      {words && <p>{words}</p>}
      {cause && <p className="front-alert-cause">{cause}</p>}
    </div>
  );
}
