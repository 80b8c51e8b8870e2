import { Notice } from './notice.tsx';

type Props = {
  failure: { words: string; reference: string | undefined } | null;
  /** Somebody else saved while this was typed. */
  overtaken: boolean;
  /** The words for that, which are also those of the refusal. */
  changedMeanwhile: string;
};

/** Why a form was not saved, and that it goes over what somebody else saved: neither hides the other. */
export function SaveNotices({ failure, overtaken, changedMeanwhile }: Props) {
  const refusedAsOld = failure?.words === changedMeanwhile;
  return (
    <>
      {(overtaken || refusedAsOld) && <Notice tone="waiting">{changedMeanwhile}</Notice>}
      {failure && !refusedAsOld && (
        <Notice tone="bad" reference={failure.reference}>
          {failure.words}
        </Notice>
      )}
    </>
  );
}
