import { useState } from 'react';

const key = 'sidebar';

export function useCollapsed() {
  const [collapsed, setCollapsed] = useState(() => localStorage.getItem(key) === 'collapsed');
  const remember = (next: boolean) => {
    localStorage.setItem(key, next ? 'collapsed' : 'expanded');
    setCollapsed(next);
  };
  return [collapsed, remember] as const;
}
