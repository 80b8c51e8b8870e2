import { type ReactNode, useLayoutEffect, useRef } from 'react';
import './form.css';

type Props = { saving: boolean; children: ReactNode };

/** While what was typed travels, nothing is typed over it: the answer would throw that away. */
export function FormFields({ saving, children }: Props) {
  const last = useRef<HTMLElement>(null);
  const taken = useRef(false);
  // A disabled field loses the focus; whoever was typing there goes on there.
  useLayoutEffect(() => {
    const nowhere = document.activeElement === document.body;
    if (!saving && taken.current && nowhere) last.current?.focus();
    taken.current = saving && nowhere;
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
