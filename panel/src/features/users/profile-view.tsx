import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { AdjustedAsset } from 'contract/ledger.ts';
import { holds } from 'contract/core/permissions.ts';
import { changeUser, type User } from 'contract/users.ts';
import { useEffect, useRef } from 'react';
import { AdjustButton } from '#panel/domain/adjust.tsx';
import { useMe } from '#panel/shell/me.ts';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { SaveNotices } from '#panel/ui/save-notices.tsx';
import { Related } from './related.tsx';
import { BlacklistToggle } from './blacklist.tsx';
import { type Editing, useEditing } from './editing.ts';
import { ProfileFields } from './fields.tsx';
import { ProfileHead } from './profile-head.tsx';
import { useSecretModals } from './secrets.tsx';
import { WayBack } from './way-back.tsx';
import { WriteOffButton } from './write-off.tsx';

/** Other actions would change the user while the form is being edited. */
const whileEditing = 'Save or cancel your changes first.';

const adjusted = ({ id, username, userId, available }: User) => ({
  user: id,
  name: username,
  number: userId,
  has: `Available: ${formatAmount(available, 'USD')}.`,
  assets: AdjustedAsset.options,
});

export function ProfileView({ user }: { user: User }) {
  const denied = holds(useMe(), 'users.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const editing = useEditing(user);
  const blocked = editing.active ? whileEditing : undefined;
  const { openModal, modals } = useSecretModals(user);
  return (
    <PageFrame
      title="User Profile"
      back={<WayBack />}
      action={
        <>
          <AdjustButton label="Adjust" title="Adjust Balance" adjusted={adjusted(user)} blocked={blocked} />
          <WriteOffButton user={user} blocked={blocked} />
          <BlacklistToggle user={user} denied={denied ?? blocked} />
          <EditButton editing={editing} denied={denied} />
        </>
      }
    >
      <ProfileHead user={user} editing={editing.active} />
      <form
        className="user-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          editing.save();
        }}
      >
        <FormFields saving={editing.saving}>
          <ProfileFields user={user} editing={editing} secrets={{ openModal, disabledReason: blocked }} />
        </FormFields>
        {editing.active && <SaveBar editing={editing} />}
      </form>
      {modals}
      <Related user={user} />
    </PageFrame>
  );
}

/** Restores the focus when edit mode ends. */
function EditButton({ editing, denied }: { editing: Editing; denied: string | undefined }) {
  const button = useRef<HTMLButtonElement>(null);
  const wasActive = useRef(false);
  useEffect(() => {
    if (wasActive.current && !editing.active) button.current?.focus();
    wasActive.current = editing.active;
  }, [editing.active]);
  if (editing.active) return null;
  return (
    <Button ref={button} disabledReason={denied} onClick={editing.start}>
      Edit Profile
    </Button>
  );
}

const { UserConflict } = changeUser.refusals[409];

function SaveBar({ editing: { failure, isOutdated, saving, disabledReasonForSave, cancel } }: { editing: Editing }) {
  return (
    <div className="user-save">
      <SaveNotices failure={failure} isOutdated={isOutdated} hasConflict={UserConflict} />
      <div className="user-save-actions">
        <span className="user-quiet">Role, wallet and referral code can be edited.</span>
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
        <Button type="submit" loading={saving} disabledReason={disabledReasonForSave}>
          Save Changes
        </Button>
      </div>
    </div>
  );
}
