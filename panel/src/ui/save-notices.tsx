import { Notice } from './notice.tsx';

type Props = {
  failure: { message: string; reference: string | undefined } | null;
  /** Another administrator saved while this form was edited. */
  isOutdated: boolean;
  /** The text for that, which is also the text of the server's refusal. */
  hasConflict: string;
};

/** Shows why a form was not saved, and that saving overwrites a newer version. Neither notice hides the other. */
export function SaveNotices({ failure, isOutdated, hasConflict }: Props) {
  const isConflict = failure?.message === hasConflict;
  return (
    <>
      {(isOutdated || isConflict) && <Notice tone="waiting">{hasConflict}</Notice>}
      {failure && !isConflict && (
        <Notice tone="bad" reference={failure.reference}>
          {failure.message}
        </Notice>
      )}
    </>
  );
}
