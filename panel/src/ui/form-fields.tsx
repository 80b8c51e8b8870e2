import { type ReactNode, useLayoutEffect, useRef } from 'react';
import './form.css';

type Props = { saving: boolean; children: ReactNode };

/** Disables the fields while saving, because the response would discard anything typed in the meantime. */
export function FormFields({ saving, children }: Props) {
  const last = useRef<HTMLElement>(null);
  const lostFocus = useRef(false);
  // A disabled field loses the focus, so the last focused field gets it back after saving.
  useLayoutEffect(() => {
    const nowhere = document.activeElement === document.body;
    if (!saving && lostFocus.current && nowhere) last.current?.focus();
    lostFocus.current = saving && nowhere;
  }, [saving]);
  return (
    <fieldset
      className="form-fields"
      role="presentation"
      disabled={saving}
      onFocus={({ target }) => {
        last.current = target;
      }}
    >
      {children}
    </fieldset>
  );
}
