import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { overList } from './detail-route.ts';

type Props = { opens: string; id: string; label: string; className?: string; children: ReactNode };

/** The link in a row that opens it over its list; `opens` is the URL parameter. */
export function RowLink({ opens, id, label, className = 'table-name', children }: Props) {
  return (
    <Link {...overList(opens, id)} className={className} aria-label={label}>
      {children}
    </Link>
  );
}
