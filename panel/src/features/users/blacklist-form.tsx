import type { User } from 'contract/users.ts';
import { useSetBlacklisted } from './api.ts';
import { ReasonForm } from './reason-form.tsx';

type Props = { user: User; blacklisted: boolean; onClose: () => void };

const consequences = {
  blacklist: 'Excluded from payouts, distributions and bonuses until removed from the blacklist.',
  unblacklist: 'Payouts, distributions and bonuses include them again from the next run on.',
};

export function BlacklistForm({ user, blacklisted, onClose }: Props) {
  const { mutate, isPending } = useSetBlacklisted({ onDone: onClose });
  return (
    <ReasonForm
      user={user}
      action={blacklisted ? 'Blacklist' : 'Unblacklist'}
      {...(blacklisted && { color: 'red' })}
      saving={isPending}
      onSubmit={(reason) => mutate({ params: { id: user.id }, body: { blacklisted, reason } })}
    >
      {consequences[blacklisted ? 'blacklist' : 'unblacklist']}
    </ReasonForm>
  );
}
