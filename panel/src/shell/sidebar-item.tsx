import type { ReactNode } from 'react';
import { Hint } from '#panel/ui/hint.tsx';
import type { Icon } from './navigation.ts';

export function ItemFace({ icon: Mark, label }: { icon: Icon; label: string }) {
  return (
    <>
      <Mark className="sidebar-icon" size={18} stroke={1.6} aria-hidden />
      <span className="sidebar-label">{label}</span>
    </>
  );
}

/** Shows the label as a tooltip while the sidebar is collapsed to icons. */
export function RailHint({ label, collapsed, children }: { label: string; collapsed: boolean; children: ReactNode }) {
  if (!collapsed) return children;
  return (
    <Hint label={label} side="right">
      {children}
    </Hint>
  );
}
