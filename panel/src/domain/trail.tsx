import { IconChevronRight } from '@tabler/icons-react';
import { holds } from 'contract/core/permissions.ts';
import { lazy, Suspense, useId, useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { SkeletonLines } from '#panel/ui/states.tsx';
import './audit-entry.css';
import type { TrailProps } from './trail-entries.tsx';

// Loaded when a trail is first opened, because few administrators may read it.
const TrailEntries = lazy(async () => ({ default: (await import('./trail-entries.tsx')).TrailEntries }));

/** The audit rows of one item, for those who may read the audit log. */
export function Trail(props: TrailProps) {
  const mayRead = holds(useMe(), 'audit.read');
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  if (!mayRead) return null;
  return (
    <section className="trail" aria-labelledby={id}>
      <button
        id={id}
        type="button"
        className="trail-toggle"
        aria-expanded={isOpen}
        onClick={() => setIsOpen((before) => !before)}
      >
        <IconChevronRight size={16} stroke={1.75} aria-hidden />
        Trail
      </button>
      {isOpen && (
        <Suspense fallback={<SkeletonLines lines={4} label="Loading the trail" />}>
          <TrailEntries {...props} />
        </Suspense>
      )}
    </section>
  );
}
