import { ReferralCode, type User, type UserRole, Wallet } from 'contract/users.ts';
import { useState } from 'react';
import { useEdits } from '#panel/ui/edits.ts';
import { useChangeUser } from './api.ts';

type Values = { role: UserRole; wallet: string; referralCode: string };

const walletRule = 'Enter a wallet address: 32 to 44 letters and digits, without 0, O, I and l.';
const referralCodeRule = 'Use 6 to 12 capital letters and digits.';

export type Editing = ReturnType<typeof useEditing>;

/** The state of a profile's edit mode. */
export function useEditing(user: User) {
  const { role, wallet, referralCode, version } = user;
  const [active, setActive] = useState(false);
  const { values, edit, forget, isOutdated, versionToSave } = useEdits({ role, wallet, referralCode }, version);
  const leave = () => {
    setActive(false);
    forget();
  };
  const saving = useChangeUser({ onSaved: leave });
  const change = changeOf(user, values);
  const wrong = wrongIn(change ?? {});
  const fits = wrong.wallet === undefined && wrong.referralCode === undefined;
  const takenCode = saving.error?.code === 'ReferralCodeTaken' ? saving.error.message : undefined;
  return {
    active,
    values,
    errors: { wallet: wrong.wallet, referralCode: wrong.referralCode ?? takenCode },
    /** The error, unless it is shown at a field. */
    failure: takenCode ? null : saving.error,
    isOutdated: isOutdated && !saving.isPending,
    saving: saving.isPending,
    disabledReasonForSave: change ? undefined : 'Nothing has changed yet.',
    start: () => setActive(true),
    edit: (more: Partial<Values>) => {
      if (takenCode) saving.reset();
      edit(more);
    },
    cancel: () => {
      saving.reset();
      leave();
    },
    save: () => {
      if (!change || !fits || saving.isPending) return;
      saving.mutate({ params: { id: user.id }, body: { version: versionToSave(), ...change } });
    },
  };
}

/** Returns only the fields that differ from the record, so that a save overwrites nothing else. */
function changeOf(user: User, { role, wallet, referralCode }: Values) {
  const change = {
    ...(role !== user.role && { role }),
    ...(wallet.trim() !== user.wallet && { wallet: wallet.trim() }),
    ...(referralCode !== user.referralCode && { referralCode }),
  };
  return Object.keys(change).length > 0 ? change : undefined;
}

function wrongIn({ wallet, referralCode }: Partial<Values>) {
  return {
    wallet: wallet === undefined || Wallet.safeParse(wallet).success ? undefined : formatWallet(wallet),
    referralCode:
      referralCode === undefined || ReferralCode.safeParse(referralCode).success ? undefined : formatCode(referralCode),
  };
}

const formatWallet = (wallet: string) => (wallet === '' ? 'Enter a wallet address.' : walletRule);

const formatCode = (code: string) => (code === '' ? 'Enter a referral code.' : referralCodeRule);
