import { NativeSelect, TextInput } from '@mantine/core';
import { type Admin, updateAdmin } from 'contract/admins.ts';
import { Username } from 'contract/auth.ts';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds, PermissionSet, Role } from 'contract/core/permissions.ts';
import { useState } from 'react';
import type { Failure } from '#panel/shell/call.ts';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { useEdits } from '#panel/ui/edits.ts';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { SaveNotices } from '#panel/ui/save-notices.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { useUpdateAdmin } from './api.ts';
import { fullSet, permissionSetChoices, roleChoices, usernameRule } from './role-text.ts';

type Values = { newUsername: string; role: Role; permissionSet: PermissionSet | null };

const { AdminConflict } = updateAdmin.refusals[409];

export function ProfileForm({ admin }: { admin: Admin }) {
  const denied = holds(useMe(), 'admins.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const [editing, setEditing] = useState(false);
  const stored: Values = { newUsername: '', role: admin.role, permissionSet: admin.permissionSet };
  const { values, edit, forget, isOutdated, versionToSave } = useEdits(stored, admin.version);
  const leave = () => {
    setEditing(false);
    forget();
  };
  const saving = useUpdateAdmin({ onSaved: leave });
  const change = changeOf(admin, values);
  const unfitName = change?.newUsername !== undefined && !Username.safeParse(change.newUsername).success;
  const cancel = () => {
    saving.reset();
    leave();
  };
  const save = () => {
    if (change && !unfitName && !saving.isPending) {
      saving.mutate({ params: { id: admin.id }, body: { version: versionToSave(), ...change } });
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
        <FormFields saving={saving.isPending}>
          <Fields
            admin={admin}
            values={values}
            disabled={!editing}
            failure={saving.error}
            nameError={unfitName ? usernameRule : undefined}
            edit={edit}
          />
        </FormFields>
        <SaveNotices
          failure={formFailure(saving.error)}
          isOutdated={isOutdated && !saving.isPending}
          hasConflict={AdminConflict}
        />
        <div className="admin-form-actions">
          {editing ? (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          ) : (
            <Button disabledReason={denied} onClick={() => setEditing(true)}>
              Edit
            </Button>
          )}
          <Button
            type="submit"
            variant={editing ? 'filled' : 'default'}
            loading={saving.isPending}
            disabledReason={denied ?? disabledReasonForSave(editing, change)}
          >
            Save
          </Button>
        </div>
      </form>
    </>
  );
}

function disabledReasonForSave(editing: boolean, change: object | undefined) {
  if (!editing) return 'Press Edit first.';
  return change ? undefined : 'Nothing has changed yet.';
}

/** Returns only the fields that differ from the record, so that a save overwrites nothing else. */
function changeOf(admin: Admin, { newUsername, role, permissionSet }: Values) {
  const set = role === 'SuperAdmin' ? null : permissionSet;
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
        <Timestamp at={admin.createdAt} />
      </dd>
    </dl>
  );
}

type Refused = Failure<typeof updateAdmin> | null;

type FieldsProps = {
  admin: Admin;
  values: Values;
  disabled: boolean;
  failure: Refused;
  nameError: string | undefined;
  edit: (more: Partial<Values>) => void;
};

function Fields({ admin, values, disabled, failure, nameError, edit }: FieldsProps) {
  const errorFor = (code: string) => (failure?.code === code ? failure.message : undefined);
  return (
    <>
      <TextInput
        label="New username"
        autoComplete="off"
        disabled={disabled}
        placeholder={admin.username}
        value={values.newUsername}
        error={nameError ?? errorFor('UsernameTaken')}
        onChange={(event) => edit({ newUsername: event.currentTarget.value })}
      />
      <NativeSelect
        label="Role"
        description="A new role or permission set ends their sessions."
        disabled={disabled}
        data={roleChoices}
        value={values.role}
        error={errorFor('LastSuperAdmin')}
        onChange={(event) => edit({ role: Role.parse(event.currentTarget.value) })}
      />
      {values.role === 'Admin' && (
        <NativeSelect
          label="Permission set"
          description="Full allows everything an Admin may do. The others limit it to one area."
          disabled={disabled}
          data={permissionSetChoices}
          value={values.permissionSet ?? fullSet}
          onChange={(event) => edit({ permissionSet: PermissionSet.safeParse(event.currentTarget.value).data ?? null })}
        />
      )}
    </>
  );
}

const fieldErrors = new Set<string>(['UsernameTaken', 'LastSuperAdmin']);

const formFailure = (failure: Refused) => (failure && fieldErrors.has(failure.code) ? null : failure);
