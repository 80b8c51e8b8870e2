import { NativeSelect, TextInput } from '@mantine/core';
import type { Admin, updateAdmin } from 'contract/admins.ts';
import { Username } from 'contract/auth.ts';
import { anyCallRefusals } from 'contract/endpoint.ts';
import { holds, PermissionSet, Role } from 'contract/permissions.ts';
import { useState } from 'react';
import type { Failure } from '#panel/shell/call.ts';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { Moment } from '#panel/ui/moment.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { useUpdateAdmin } from './api.ts';
import { fullSet, permissionSetChoices, roleChoices, usernameRule } from './words.ts';

/** What was typed or chosen; what was not touched follows the record. */
type Edits = { newUsername?: string; role?: Role; permissionSet?: PermissionSet | null };

export function ProfileForm({ admin }: { admin: Admin }) {
  const denied = holds(useMe(), 'admins.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const [edits, setEdits] = useState<Edits>();
  const saving = useUpdateAdmin({ onSaved: () => setEdits(undefined) });
  const editing = edits !== undefined;
  const change = edits && changeOf(admin, edits);
  const unfitName = change?.newUsername !== undefined && !Username.safeParse(change.newUsername).success;
  const leave = () => {
    saving.reset();
    setEdits(undefined);
  };
  const save = () => {
    if (change && !unfitName && !saving.isPending) {
      saving.mutate({ params: { id: admin.id }, body: { version: admin.version, ...change } });
    }
  };
  return (
    <>
      <Facts admin={admin} />
      <form
        className="admin-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Fields
          admin={admin}
          edits={edits}
          failure={saving.error}
          nameError={unfitName ? usernameRule : undefined}
          edit={(more) => setEdits({ ...edits, ...more })}
        />
        <Notice failure={saving.error} />
        <div className="admin-form-actions">
          {editing ? (
            <Button variant="default" onClick={leave}>
              Cancel
            </Button>
          ) : (
            <Button disabledReason={denied} onClick={() => setEdits({})}>
              Edit
            </Button>
          )}
          <Button
            type="submit"
            variant={editing ? 'filled' : 'default'}
            loading={saving.isPending}
            disabledReason={denied ?? whyNotSave(editing, change)}
          >
            Save
          </Button>
        </div>
      </form>
    </>
  );
}

function whyNotSave(editing: boolean, change: object | undefined) {
  if (!editing) return 'Press Edit first.';
  return change ? undefined : 'Nothing has changed yet.';
}

/** Only what differs from the record is sent, so that nothing else is overwritten. */
function changeOf(admin: Admin, { newUsername = '', role = admin.role, permissionSet }: Edits) {
  const set = role === 'SuperAdmin' ? null : permissionSet === undefined ? admin.permissionSet : permissionSet;
  const change = {
    ...(newUsername !== '' && newUsername !== admin.username && { newUsername }),
    ...(role !== admin.role && { role }),
    ...(set !== admin.permissionSet && { permissionSet: set }),
  };
  return Object.keys(change).length > 0 ? change : undefined;
}

function Facts({ admin }: { admin: Admin }) {
  return (
    <dl className="admin-facts">
      <dt>ID</dt>
      <dd>
        <ShortId id={admin.id} />
      </dd>
      <dt>Username</dt>
      <dd>{admin.username}</dd>
      <dt>Created At</dt>
      <dd>
        <Moment at={admin.createdAt} />
      </dd>
    </dl>
  );
}

type Refused = Failure<typeof updateAdmin> | null;

type FieldsProps = {
  admin: Admin;
  edits: Edits | undefined;
  failure: Refused;
  nameError: string | undefined;
  edit: (more: Edits) => void;
};

function Fields({ admin, edits, failure, nameError, edit }: FieldsProps) {
  const role = edits?.role ?? admin.role;
  const chosenSet = edits?.permissionSet === undefined ? admin.permissionSet : edits.permissionSet;
  const disabled = edits === undefined;
  const told = (code: string) => (failure?.code === code ? failure.words : undefined);
  return (
    <>
      <TextInput
        label="New username"
        autoComplete="off"
        disabled={disabled}
        placeholder={admin.username}
        value={edits?.newUsername ?? ''}
        error={nameError ?? told('UsernameTaken')}
        onChange={(event) => edit({ newUsername: event.currentTarget.value })}
      />
      <NativeSelect
        label="Role"
        description="A new role or permission set ends their sessions."
        disabled={disabled}
        data={roleChoices}
        value={role}
        error={told('LastSuperAdmin')}
        onChange={(event) => edit({ role: Role.parse(event.currentTarget.value) })}
      />
      {role === 'Admin' && (
        <NativeSelect
          label="Permission set"
          description="Full may do everything an Admin may; the others narrow it to one line of work."
          disabled={disabled}
          data={permissionSetChoices}
          value={chosenSet ?? fullSet}
          onChange={(event) => edit({ permissionSet: PermissionSet.safeParse(event.currentTarget.value).data ?? null })}
        />
      )}
    </>
  );
}

const toldAtTheField = new Set<string>(['UsernameTaken', 'LastSuperAdmin']);

function Notice({ failure }: { failure: Refused }) {
  if (!failure || toldAtTheField.has(failure.code)) return null;
  return (
    <div className="admin-notice" role="alert">
      {failure.words}
      {failure.reference && (
        <span className="admin-notice-reference">
          Reference <ShortId id={failure.reference} />
        </span>
      )}
    </div>
  );
}
