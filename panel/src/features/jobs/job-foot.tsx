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

type ReportedError = { words: string; reference: string | undefined };

type Props = {
  label: string;
  saving: { isPending: boolean; error: ReportedError | null };
  /** What the last press did. */
  said: string | undefined;
  overtaken?: boolean;
};

/** The button, and after it an alert that says what it did or why it did not. */
export function JobFoot({ label, saving, said, overtaken = false }: Props) {
  const denied = useDisabledReason();
  return (
    <>
      <div className="form-foot">
        <Button type="submit" loading={saving.isPending} disabledReason={denied}>
          {label}
        </Button>
      </div>
      {said === undefined ? (
        <SaveNotices failure={saving.error} overtaken={overtaken && !saving.isPending} changedMeanwhile={JobConflict} />
      ) : (
        <Notice tone="good">{said}</Notice>
      )}
    </>
  );
}
