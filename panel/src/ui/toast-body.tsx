import { ShortId } from './short-id.tsx';
import './toast.css';

export type ToastExtras = {
  /** A second line, usually the server's text. */
  detail?: string | undefined;
  /** Called by a Retry button, which also closes the toast. */
  retry?: (() => void) | undefined;
  /** Identifies the failed call in the server's log; a click copies it. */
  reference?: string | undefined;
};

export function ToastBody({
  message,
  detail,
  retry,
  reference,
  close,
}: ToastExtras & { message: string; close: () => void }) {
  return (
    <>
      <div className="toast-text">{message}</div>
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
