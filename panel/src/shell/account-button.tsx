import { VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useMe } from './me.ts';

// Loaded on hover or focus, because no page needs the menu for its first render.
const loadMenu = () => import('./account-menu.tsx');
const AccountMenu = lazy(async () => ({ default: (await loadMenu()).AccountMenu }));
const prepareMenu = () => void loadMenu().catch(() => undefined);

const roleLabel = { Admin: 'Admin', SuperAdmin: 'Super Admin' } as const;

/** Shows who is signed in, and opens the account menu. */
export function AccountButton() {
  const { username, role, permissionSet } = useMe();
  const [pressed, setPressed] = useState(false);
  const face = (
    <>
      <VisuallyHidden>Signed in as</VisuallyHidden>
      <span className="signed-in-names">
        <span className="signed-in-name">{username}</span>{' '}
        <span className="signed-in-role">
          {permissionSet ? `${roleLabel[role]}, ${permissionSet}` : roleLabel[role]}
        </span>
      </span>
      <span className="signed-in-initial" aria-hidden>
        {username.slice(0, 1).toUpperCase()}
      </span>
    </>
  );
  const button = (
    <button
      type="button"
      className="signed-in"
      aria-haspopup="menu"
      onPointerEnter={prepareMenu}
      onFocus={prepareMenu}
      onClick={() => setPressed(true)}
    >
      {face}
    </button>
  );
  return (
    <div className="account">
      {pressed ? (
        <Suspense fallback={button}>
          <AccountMenu face={face} />
        </Suspense>
      ) : (
        button
      )}
    </div>
  );
}
