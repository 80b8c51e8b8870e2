import { NativeSelect, TextInput } from '@mantine/core';
import { UserRole } from 'contract/users.ts';
import { useEffect, useRef } from 'react';
import type { Editing } from './editing.ts';

type Props = { editing: Editing };

/** The first field, which gets the focus when edit mode starts. */
export function RoleField({ editing: { values, edit } }: Props) {
  const field = useRef<HTMLSelectElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  return (
    <NativeSelect
      ref={field}
      aria-label="Role"
      size="sm"
      data={UserRole.options}
      value={values.role}
      onChange={(event) => edit({ role: UserRole.parse(event.currentTarget.value) })}
    />
  );
}

export function WalletField({ editing: { values, errors, edit } }: Props) {
  return (
    <TextInput
      aria-label="Wallet"
      size="sm"
      className="user-mono-field"
      autoComplete="off"
      spellCheck={false}
      maxLength={64}
      value={values.wallet}
      error={errors.wallet}
      onChange={(event) => edit({ wallet: event.currentTarget.value })}
    />
  );
}

export function ReferralCodeField({ editing: { values, errors, edit } }: Props) {
  return (
    <TextInput
      aria-label="Referral code"
      size="sm"
      className="user-mono-field"
      autoComplete="off"
      spellCheck={false}
      maxLength={12}
      value={values.referralCode}
      error={errors.referralCode}
      onChange={(event) => edit({ referralCode: event.currentTarget.value.toUpperCase() })}
    />
  );
}
