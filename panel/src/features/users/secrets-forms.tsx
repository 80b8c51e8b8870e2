import type { User } from 'contract/users.ts';
import { ReasonForm } from './reason-form.tsx';
import { useRequestKeyReveal, useResetPassword } from './secrets-api.ts';

type Props = { user: User; onDone: () => void };

export function RequestKey({ user, onDone }: Props) {
  const { mutate, isPending } = useRequestKeyReveal({ onDone });
  return (
    <ReasonForm
      user={user}
      action="Request key"
      description="Saved in the audit log and shown to the approver and to every Super Admin."
      saving={isPending}
      onSubmit={(reason) => mutate({ params: { id: user.id }, body: { reason } })}
    >
      Another Super Admin must approve this. You can then open the key once, within two hours from now.
    </ReasonForm>
  );
}

export function ResetPassword({ user, onDone }: Props) {
  const { mutate, isPending } = useResetPassword({ onDone });
  return (
    <ReasonForm
      user={user}
      action="Reset password"
      color="red"
      saving={isPending}
      onSubmit={(reason) => mutate({ params: { id: user.id }, body: { reason } })}
    >
      Deletes the stored password and signs the user out. The platform is notified so that it can ask for a new
      password. This can't be undone.
    </ReasonForm>
  );
}
