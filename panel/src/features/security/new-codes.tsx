import { Button } from '#panel/ui/button.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { useRenewCodes } from './factors-api.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

export function NewCodes({ onClose }: { onClose: () => void }) {
  const { mutate, isPending, data, error } = useRenewCodes();
  if (data) return <RecoveryCodes codes={data.recoveryCodes} onClose={onClose} />;
  return (
    <div className="form">
      <p className="security-note">Your current recovery codes stop working.</p>
      {error && (
        <Notice tone="bad" reference={error.reference}>
          {error.message}
        </Notice>
      )}
      <ModalActions waiting={isPending}>
        <Button loading={isPending} onClick={() => mutate({})}>
          Create new codes
        </Button>
      </ModalActions>
    </div>
  );
}
