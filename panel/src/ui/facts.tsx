import type { ReactNode } from 'react';
import './facts.css';

export type Fact = { name: string; value: ReactNode };

/** Names and values side by side, one pair per row. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(({ name, value }) => (
        <div key={name} className="fact">
          <dt className="fact-name">{name}</dt>
          <dd className="fact-value">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
