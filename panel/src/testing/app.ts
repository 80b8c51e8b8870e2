import { notifications, notificationsStore } from '@mantine/notifications';
import { readAuditVerification } from 'contract/audit-verification.ts';
import { countApprovals } from 'contract/approvals-count.ts';
import { readMe } from 'contract/auth.ts';
import type { Answer } from 'contract/core/endpoint.ts';
import { streamEvents } from 'contract/events.ts';
import { readMaintenance } from 'contract/maintenance.ts';
import type { PermissionSet, Role } from 'contract/core/permissions.ts';
import { readSettings } from 'contract/settings.ts';
import { countTickets } from 'contract/tickets-count.ts';
import { readWithdrawalFigures } from 'contract/withdrawals-figures.ts';
import type { Root } from 'react-dom/client';
import { queryClient } from '#panel/shell/query.ts';
import { start } from '#panel/start.tsx';
import { answer } from './server.ts';

export type Admin = { role: Role; permissionSet: PermissionSet | null };

const superAdmin: Admin = { role: 'SuperAdmin', permissionSet: null };

/** An Admin with one permission set, or without one. */
export const adminWith = (permissionSet: PermissionSet | null): Admin => ({ role: 'Admin', permissionSet });

export const signedInId = '0198c0de-0000-7000-8000-000000000001';

const me = {
  id: signedInId,
  username: 'ines.moreau',
  mustChangePassword: false,
  sessionEndsAt: new Date(Date.now() + 3_600_000),
};

export const noSettings: Answer<typeof readSettings>['settings'] = {
  fullName: '',
  email: '',
  theme: 'light',
  notifications: false,
  version: 0,
  updatedAt: null,
};

/** Sets the responses that every screen needs. */
export function answerFrame(admin: Admin = superAdmin) {
  answer(readMe, { me: { ...me, ...admin } });
  answer(readSettings, { settings: noSettings });
  answer(readMaintenance, () => ({
    maintenance: { active: false, endsAt: null, changedBy: null, changedAt: null, now: new Date() },
  }));
  answerMenuCounts({ tickets: 0, withdrawals: 0, approvals: 0 });
  answer(readAuditVerification, { current: null, last: null, heads: null, publishedAt: null });
  answer(streamEvents, neverRead());
}

type MenuCounts = { tickets: number; withdrawals: number; approvals: number };

/** Sets the counts in the sidebar. */
export function answerMenuCounts({ tickets, withdrawals, approvals }: MenuCounts) {
  const none = { count: 0, amount: 0n };
  const pending = { count: withdrawals, amount: 0n };
  answer(countTickets, { open: tickets });
  answer(readWithdrawalFigures, { total: pending, completed: none, pending, failed: none });
  answer(countApprovals, { waiting: approvals, approvable: approvals });
}

/** A placeholder that registers the endpoint: the fake server itself serves the stream. */
async function* neverRead() {}

/** The theme that was chosen in this browser, if any. */
type Browser = { theme?: 'light' | 'dark' | null };

let running: { root: Root; element: HTMLElement } | undefined;

/** Starts the real panel without signing in. */
export function visit(address: string, { theme = 'light' }: Browser = {}) {
  closePanel();
  window.history.replaceState(null, '', address);
  if (theme && localStorage.getItem('theme') === null) localStorage.setItem('theme', theme);
  const element = document.createElement('div');
  element.id = 'root';
  // As in the page: dialogs, whose place stays in the document, come after the app.
  document.body.prepend(element);
  running = { root: start(element), element };
}

/** Starts the real panel with an administrator signed in. Assumes that the test has set the responses of the screen. */
export function visitSignedIn(address: string, browser?: Browser) {
  localStorage.setItem('token', 'a token');
  visit(address, browser);
}

/** Closes the panel and resets its state, as closing the window would. */
export function closePanel() {
  running?.root.unmount();
  running?.element.remove();
  running = undefined;
  queryClient.clear();
  notifications.clean();
  notifications.cleanQueue();
  notificationsStore.updateState((state) => ({ ...state, notifications: [], queue: [] }));
  // Every router wraps these two methods of the window's history.
  Reflect.deleteProperty(window.history, 'pushState');
  Reflect.deleteProperty(window.history, 'replaceState');
}

/** Clears what a browser keeps between visits. */
export function clearBrowser() {
  localStorage.clear();
  sessionStorage.clear();
  document.documentElement.dataset['mantineColorScheme'] = 'light';
  document.body.classList.remove('dark-mode');
}
