import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { IconArrowLeft } from '@tabler/icons-react';
import type { MouseEvent } from 'react';

declare module '@tanstack/history' {
  interface HistoryState {
    /** The entry before this one is the list of users. */
    behindIsUsersList?: true;
  }
}

export const fromList = { behindIsUsersList: true } as const;

/** To the list as it was left, scroll and all, when it is what lies behind; to its start otherwise. */
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
