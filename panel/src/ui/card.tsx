import type { ReactNode } from 'react';
import './card.css';

export function Card({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="card card-padded">
      {title && <h2 className="card-title">{title}</h2>}
      {children}
    </section>
  );
}

export type Figure = { label: string; value: ReactNode; unit?: string; note?: ReactNode };

/** A row of cards, each with one key figure. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ label, value, unit, note }) => (
        <div key={label} className="card figure">
          <dt className="figure-label">{label}</dt>
          <dd className="figure-value">
            {value}
            {unit && <span className="figure-unit">{unit}</span>}
          </dd>
          {note && <dd className="figure-note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
