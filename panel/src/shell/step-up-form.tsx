import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Answer, Given } from 'contract/core/endpoint.ts';
import { readFactors, stepUp } from 'contract/security-factors.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { call, type Failure } from './call.ts';
import { queryFor } from './query.ts';
import { changeToken } from './session-store.ts';
import { settleProof } from './step-up.ts';

type Kind = 'password' | 'code';

const errors = { password: 'Enter your password.', code: 'Enter a code.' };
const others = { password: 'Use a code instead', code: 'Use your password instead' };

/** Asks for the password, or for a code if the account has a second factor. */
export function StepUpForm() {
  const { data } = useQuery(queryFor(readFactors, {}));
  const [kind, setKind] = useState<Kind>('password');
  const [value, setValue] = useState('');
  const [error, setError] = useState<string>();
  const proof = useMutation<Answer<typeof stepUp>, Failure<typeof stepUp>, Given<typeof stepUp>>({
    mutationFn: (given) => changeToken(call(stepUp, given)),
    onSuccess: () => settleProof(true),
  });
  const hasFactor = data !== undefined && data.factors.recoveryCodesLeft > 0;
  const submit = () => {
    setError(value === '' ? errors[kind] : undefined);
    if (value !== '' && !proof.isPending) proof.mutate({ body: { [kind]: value } });
  };
  const change = (next: string) => {
    setValue(next);
    setError(undefined);
  };
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="step-up-note">
        It has been a few minutes since you signed in, and this action needs a recent proof.
      </p>
      <FormFields saving={proof.isPending}>
        <ProofField kind={kind} value={value} error={error} onChange={change} />
      </FormFields>
      {proof.error && (
        <Notice tone="bad" reference={proof.error.reference}>
          {proof.error.message}
        </Notice>
      )}
      {hasFactor && (
        <Button
          variant="subtle"
          size="compact-sm"
          className="step-up-other"
          onClick={() => {
            setKind(kind === 'password' ? 'code' : 'password');
            change('');
          }}
        >
          {others[kind]}
        </Button>
      )}
      <ModalActions waiting={proof.isPending}>
        <Button type="submit" loading={proof.isPending}>
          Confirm
        </Button>
      </ModalActions>
    </form>
  );
}

type ProofFieldProps = { kind: Kind; value: string; error: string | undefined; onChange: (value: string) => void };

function ProofField({ kind, value, error, onChange }: ProofFieldProps) {
  const field = useFocusOnArrival<HTMLInputElement>();
  const shared = {
    required: true,
    withAsterisk: false,
    value,
    error,
    ref: field,
    'data-autofocus': true,
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onChange(currentTarget.value),
  } as const;
  if (kind === 'password') return <PasswordInput {...shared} label="Password" autoComplete="current-password" />;
  return (
    <TextInput
      {...shared}
      label="Code"
      description="From your authenticator app, or a recovery code."
      autoComplete="one-time-code"
    />
  );
}
