import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { IconArrowLeft } from '@tabler/icons-react';
import type { MouseEvent } from 'react';

declare module '@tanstack/history' {
  interface HistoryState {
    /** Whether the previous history entry is the list of users. */
    behindIsUsersList?: true;
  }
}

export const fromList = { behindIsUsersList: true } as const;

/** Goes back in the history if the list is the previous entry, which restores its scroll. Otherwise opens the list. */
export function WayBack() {
  const router = useRouter();
  const toList = useLocation({ select: ({ state }) => state.behindIsUsersList === true });
  const goBack = (event: MouseEvent) => {
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!toList || elsewhere) return;
    event.preventDefault();
    router.history.back();
  };
  return (
    <Link to="/dashboard/users" className="user-back" onClick={goBack}>
      <IconArrowLeft size={16} stroke={1.75} aria-hidden />
      Back
    </Link>
  );
}
