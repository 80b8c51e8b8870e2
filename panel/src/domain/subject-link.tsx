import { Link, type LinkOptions } from '@tanstack/react-router';
import type { AuditEntry } from 'contract/audit.ts';
import { JobName } from 'contract/run-kinds.ts';
import { ShortId } from '#panel/ui/short-id.tsx';
import { featureOfAction } from './audit-action.ts';
import { settingsPathOf } from './run-kinds.ts';
import './audit-entry.css';

type Entry = Pick<AuditEntry, 'action' | 'subject' | 'subjectName' | 'details'>;
type Target = { label: string; link: LinkOptions };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const toUser = (id: string): LinkOptions => ({ to: '/dashboard/user-profile/$id', params: { id } });
const toAdmin = (id: string): LinkOptions => ({ to: '/dashboard/admin-profile/$id', params: { id } });

/** A link to the item that an audit row is about; its id if the item has no screen. */
export function SubjectLink({ entry }: { entry: Entry }) {
  if (entry.subject === null) return <span className="audit-quiet">–</span>;
  const target = targetOf(entry, entry.subject);
  if (!target) return uuid.test(entry.subject) ? <ShortId id={entry.subject} /> : entry.subject;
  return (
    <Link {...target.link} className="audit-link" onClick={(event) => event.stopPropagation()}>
      {target.label}
    </Link>
  );
}

function targetOf(entry: Entry, subject: string): Target | undefined {
  const feature = featureOfAction(entry.action);
  const targets = feature === 'approvals' ? byKind[String(entry.details['kind'])] : byFeature[feature];
  return targets?.(subject, entry);
}

type FindTarget = (subject: string, entry: Entry) => Target | undefined;

const short = (id: string) => id.slice(-6);

const user: FindTarget = (id, { subjectName }) => ({ label: subjectName ?? `User ${short(id)}`, link: toUser(id) });
const admin: FindTarget = (id, { subjectName }) => ({
  label: subjectName ?? `Administrator ${short(id)}`,
  link: toAdmin(id),
});

const withdrawal: FindTarget = (id) =>
  uuid.test(id)
    ? { label: `Withdrawal ${short(id)}`, link: { to: '/dashboard/manage-withdraw', search: { withdrawal: id } } }
    : { label: 'Withdrawal settings', link: { to: '/dashboard/manage-withdraw' } };

const task: FindTarget = (id) => ({
  label: `Task ${short(id)}`,
  link: { to: '/dashboard/manage-task', search: { task: id } },
});

const run: FindTarget = (id) =>
  uuid.test(id) ? { label: `Run ${short(id)}`, link: { to: '/dashboard/runs/$id', params: { id } } } : undefined;

const plans: FindTarget = () => ({ label: 'Staking plans', link: { to: '/dashboard/manage-staking' } });
const treeReport: FindTarget = () => ({
  label: 'Referral check',
  link: { to: '/dashboard/settings/cronjobs/referral-check' },
});
const limits: FindTarget = () => ({
  label: 'Limits',
  link: { to: '/dashboard/approvals', search: { limits: 'open' } },
});

/** An adjustment is about its user, or else about the treasury. */
const books: FindTarget = (id, entry) =>
  entry.subjectName === null ? { label: 'Treasury', link: { to: '/dashboard/ledger' } } : user(id, entry);

const job: FindTarget = (name) => {
  const known = JobName.safeParse(name).data;
  return known && { label: name, link: { to: settingsPathOf(known) } };
};

const integration: FindTarget = (id, { action }) =>
  action.includes('key')
    ? { label: `API key ${short(id)}`, link: { to: '/dashboard/integrations', search: { key: id } } }
    : {
        label: `Webhook ${short(id)}`,
        link: { to: '/dashboard/integrations', search: { tab: 'webhooks', webhook: id } },
      };

const byFeature: Partial<Record<string, FindTarget>> = {
  users: user,
  ledger: books,
  admins: admin,
  settings: admin,
  tickets: (id) => ({ label: `Ticket ${short(id)}`, link: { to: '/dashboard/tickets', search: { ticket: id } } }),
  withdrawals: (id, entry) =>
    /reconcile|difference/.test(entry.action)
      ? {
          label: 'Reconciliation',
          link: { to: '/dashboard/manage-withdraw', search: { section: 'reconciliation' } },
        }
      : withdrawal(id, entry),
  tasks: task,
  staking: plans,
  runs: run,
  jobs: job,
  integrations: integration,
  reports: () => ({ label: 'Exports', link: { to: '/dashboard/reports' } }),
  referrals: treeReport,
  maintenance: () => ({ label: 'Maintenance', link: { to: '/dashboard/maintenance' } }),
};

/** The items of approvals, by the kind of the request. */
const byKind: Partial<Record<string, FindTarget>> = {
  withdrawal,
  task,
  run,
  limit: limits,
  grant: admin,
  demotion: admin,
  removal: admin,
  account: admin,
  plan: plans,
  repair: treeReport,
  adjustment: books,
  key: (id) => ({ label: 'API keys', link: { to: '/dashboard/integrations', search: { key: id } } }),
};
