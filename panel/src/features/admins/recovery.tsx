import { useQuery } from '@tanstack/react-query';
import type { Admin } from 'contract/admins.ts';
import { requestRecovery } from 'contract/admins-recovery.ts';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { lazy, Suspense, useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { recoveriesQuery } from './recovery-api.ts';

// Loaded on first use, because an administrator is rarely locked out.
const forms = () => import('./recovery-forms.tsx');
const RequestForm = lazy(async () => ({ default: (await forms()).RequestForm }));
const CompleteForm = lazy(async () => ({ default: (await forms()).CompleteForm }));

const conflicts = requestRecovery.refusals[409];

/** Lets two Super Admins together give a new temporary password to an administrator who is locked out. */
export function Recovery({ admin, isWaiting }: { admin: Admin; isWaiting: boolean }) {
  const me = useMe();
  const mayWrite = holds(me, 'admins.write');
  const { data } = useQuery({ ...recoveriesQuery, enabled: mayWrite });
  const approved = data?.recoveries.find(
    (recovery) =>
      recovery.admin.id === admin.id && recovery.recoveredAt === null && recovery.requestedBy === me.username,
  );
  const [open, setOpen] = useState<'request' | 'complete'>();
  const close = () => setOpen(undefined);
  const denied = mayWrite ? undefined : anyCallRefusals[403].PermissionDenied;
  const ownAccount = me.id === admin.id ? conflicts.RecoveryOfOwnAccount : undefined;
  return (
    <section aria-labelledby="admin-recovery">
      <h2 id="admin-recovery" className="admin-section">
        Recover account
      </h2>
      <p className="admin-consequence">
        {approved
          ? `${approved.approvedBy} approved the recovery. The temporary password is shown once.`
          : 'For an administrator who can no longer sign in. A second Super Admin must approve it.'}
      </p>
      <div className="admin-form-actions">
        {approved ? (
          <Button onClick={() => setOpen('complete')}>Show temporary password</Button>
        ) : (
          <Button
            variant="default"
            disabledReason={denied ?? ownAccount ?? (isWaiting ? conflicts.RecoveryWaits : undefined)}
            onClick={() => setOpen('request')}
          >
            Recover account
          </Button>
        )}
      </div>
      <Modal title="Recover account" opened={open !== undefined} onClose={close}>
        <Suspense fallback={<SkeletonLines lines={5} />}>
          {open === 'request' && <RequestForm admin={admin} onDone={close} />}
          {open === 'complete' && <CompleteForm id={approved?.id} username={admin.username} onDone={close} />}
        </Suspense>
      </Modal>
    </section>
  );
}
