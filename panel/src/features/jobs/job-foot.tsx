import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { SaveNotices } from '#panel/ui/save-notices.tsx';
import { saveStakePayout } from 'contract/jobs-stake-payout.ts';

const { JobConflict } = saveStakePayout.refusals[409];

export function useDisabledReason() {
  return holds(useMe(), 'jobs.write') ? undefined : anyCallRefusals[403].PermissionDenied;
}

type ReportedError = { message: string; reference: string | undefined };

type Props = {
  label: string;
  saving: { isPending: boolean; error: ReportedError | null };
  /** The result of the last submit. */
  message: string | undefined;
  isOutdated?: boolean;
};

/** The submit button, followed by an alert with the result or the error. */
export function JobFoot({ label, saving, message, isOutdated = false }: Props) {
  const denied = useDisabledReason();
  return (
    <>
      <div className="form-foot">
        <Button type="submit" loading={saving.isPending} disabledReason={denied}>
          {label}
        </Button>
      </div>
      {message === undefined ? (
        <SaveNotices failure={saving.error} isOutdated={isOutdated && !saving.isPending} hasConflict={JobConflict} />
      ) : (
        <Notice tone="good">{message}</Notice>
      )}
    </>
  );
}
