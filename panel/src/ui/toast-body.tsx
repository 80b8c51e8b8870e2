import { ShortId } from './short-id.tsx';
import './toast.css';

export type ToastExtras = {
  /** A second line: usually the server's own words. */
  detail?: string | undefined;
  /** Offered as a Retry button, which closes the toast. */
  retry?: (() => void) | undefined;
  /** Finds the failed call in the server's log; a click copies it. */
  reference?: string | undefined;
};

export function ToastBody({
  words,
  detail,
  retry,
  reference,
  close,
}: ToastExtras & { words: string; close: () => void }) {
  return (
    <>
      <div className="toast-words">{words}</div>
      {detail && <div className="toast-detail">{detail}</div>}
      {(retry || reference) && (
        <div className="toast-foot">
          {retry && (
            <button
              type="button"
              className="toast-retry"
              onClick={() => {
                close();
                retry();
              }}
            >
              Retry
            </button>
          )}
          {reference && (
            <span className="toast-reference">
              Reference <ShortId id={reference} />
            </span>
          )}
        </div>
      )}
    </>
  );
}
