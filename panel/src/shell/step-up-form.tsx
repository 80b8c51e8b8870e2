import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Answer, Given } from 'contract/core/endpoint.ts';
import type { Assertion } from 'contract/approvals-signature.ts';
import { type Factors, readFactors, stepUp } from 'contract/security-factors.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { call, type Failure } from './call.ts';
import { queryFor } from './query.ts';
import { changeToken } from './session-store.ts';
import { finishStepUp } from './step-up.ts';

const errors = { password: 'Enter your password.', code: 'Enter a code.' };

/** Asks for the password, or for a code or a passkey if the account has a second factor. */
export function StepUpForm() {
  const { data, error: failure } = useQuery(queryFor(readFactors, {}));
  if (failure) return <Notice tone="bad">{failure.message}</Notice>;
  return data ? <ProofForm factors={data.factors} /> : <SkeletonLines lines={3} />;
}

type Proof = Given<typeof stepUp>['body'];

function ProofForm({ factors: { appSince, hasPasskey } }: { factors: Factors }) {
  const kind = appSince !== null || hasPasskey ? 'code' : 'password';
  const [value, setValue] = useState('');
  const [error, setError] = useState<string>();
  const proof = useMutation<Answer<typeof stepUp>, Failure<typeof stepUp>, Proof>({
    mutationFn: (body) => changeToken(call(stepUp, { body })),
    onSuccess: () => finishStepUp(true),
  });
  const submit = () => {
    setError(value === '' ? errors[kind] : undefined);
    if (value !== '' && !proof.isPending) proof.mutate({ [kind]: value });
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
        {kind === 'code'
          ? 'For your security, enter a code to continue.'
          : 'For your security, enter your password to continue.'}
      </p>
      <FormFields saving={proof.isPending}>
        <ProofField
          kind={kind}
          value={value}
          error={error}
          onChange={(next) => {
            setValue(next);
            setError(undefined);
          }}
        />
      </FormFields>
      {proof.error && (
        <Notice tone="bad" reference={proof.error.reference}>
          {proof.error.message}
        </Notice>
      )}
      {hasPasskey && <PasskeyButton onSigned={(assertion) => proof.mutate({ assertion })} />}
      <ModalActions waiting={proof.isPending}>
        <Button type="submit" loading={proof.isPending}>
          Confirm
        </Button>
      </ModalActions>
    </form>
  );
}

function PasskeyButton({ onSigned }: { onSigned: (assertion: Assertion) => void }) {
  const sign = async () => {
    const { signStepUp } = await import('./passkey.ts');
    const assertion = await signStepUp();
    if (assertion) onSigned(assertion);
  };
  return (
    <Button variant="subtle" size="compact-sm" className="step-up-other" onClick={() => void sign()}>
      Use a passkey
    </Button>
  );
}

type ProofFieldProps = {
  kind: keyof typeof errors;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

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
      description="A code from your authenticator app, or a recovery code."
      autoComplete="one-time-code"
    />
  );
}
