import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';

type CodeFormProps = {
  /** Shown above the field. */
  children: ReactNode;
  button: string;
  description: string;
  danger?: boolean;
  waiting: boolean;
  error: { message: string; reference: string | undefined } | null;
  onCode: (code: string) => void;
};

/** Asks for a code. */
export function CodeForm({ children, button, description, danger, waiting, error, onCode }: CodeFormProps) {
  const [code, setCode] = useState('');
  const [empty, setEmpty] = useState(false);
  const field = useFocusOnArrival<HTMLInputElement>();
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setEmpty(code.trim() === '');
        if (code.trim() !== '' && !waiting) onCode(code.trim());
      }}
    >
      {children}
      <FormFields saving={waiting}>
        <TextInput
          label="Code"
          description={description}
          required
          data-autofocus
          ref={field}
          autoComplete="one-time-code"
          maxLength={40}
          value={code}
          error={empty && 'Enter a code.'}
          onChange={({ currentTarget }) => {
            setCode(currentTarget.value);
            setEmpty(false);
          }}
        />
      </FormFields>
      {error && (
        <Notice tone="bad" reference={error.reference}>
          {error.message}
        </Notice>
      )}
      <ModalActions waiting={waiting}>
        <Button type="submit" loading={waiting} {...(danger && { color: 'red' })}>
          {button}
        </Button>
      </ModalActions>
    </form>
  );
}
