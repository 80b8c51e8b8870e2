import { CodeForm } from './code-form.tsx';
import { useRemoveApp } from './factors-api.ts';

export function AppRemoval({ onClose }: { onClose: () => void }) {
  const { mutate, isPending, error } = useRemoveApp(onClose);
  return (
    <CodeForm
      button="Remove"
      danger
      description="A code from your authenticator app, or a recovery code."
      waiting={isPending}
      error={error}
      onCode={(code) => mutate({ body: { code } })}
    >
      <p className="security-note">
        If you have no passkey, your password alone will sign you in, and your recovery codes will stop working. All
        your other sessions end.
      </p>
    </CodeForm>
  );
}
