import { NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { movesMoney, Scope } from 'contract/core/scopes.ts';
import type { ApiKey } from 'contract/integrations-keys.ts';
import { useState } from 'react';
import type { Failure } from '#panel/shell/call.ts';
import { Button } from '#panel/ui/button.tsx';
import { CheckBox } from '#panel/ui/check-box.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { useCreateKey } from './keys-api.ts';
import { scopeTexts } from './keys-text.ts';
import { SecretOnce } from './secret-once.tsx';

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never' },
];
const mostRequests = 100_000;

/** Mounted only while the modal is open. After the key was created, it shows the secret once. */
export function KeyForm({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<Created>();
  const first = useFocusOnArrival<HTMLInputElement>();
  const { mutate, isPending, error } = useCreateKey({ onSuccess: setCreated });
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const [days, setDays] = useState('365');
  const [requestsPerMinute, setRequestsPerMinute] = useState<number | string>(600);
  const [tried, setTried] = useState(false);
  if (created) return <NewSecret created={created} onClose={onClose} />;
  const limit = Number(requestsPerMinute);
  const limitFits = Number.isInteger(limit) && limit >= 1 && limit <= mostRequests;
  const submit = () => {
    setTried(true);
    if (name.trim() === '' || scopes.length === 0 || !limitFits || isPending) return;
    const body = { name: name.trim(), scopes: [...scopes], requestsPerMinute: limit };
    mutate({ body: days === '' ? body : { ...body, days: Number(days) } });
  };
  const toggle = (scope: Scope) =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FormFields saving={isPending}>
        <TextInput
          label="Name"
          description="What uses this key, such as “Production backend”."
          required
          data-autofocus
          ref={first}
          maxLength={80}
          value={name}
          error={tried && name.trim() === '' && 'Enter a name.'}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Scopes scopes={scopes} toggle={toggle} />
        <NativeSelect
          label="Expires after"
          data={lifetimes}
          value={days}
          onChange={({ currentTarget }) => setDays(currentTarget.value)}
        />
        <NumberInput
          label="Requests per minute"
          description="A batch of up to 1,000 items is one request."
          required
          min={1}
          max={mostRequests}
          value={requestsPerMinute}
          error={tried && !limitFits && 'Enter a number from 1 to 100,000.'}
          onChange={setRequestsPerMinute}
        />
      </FormFields>
      <Notices scopes={scopes} tried={tried} error={error} />
      <ModalActions waiting={isPending}>
        <Button type="submit" loading={isPending}>
          Create API key
        </Button>
      </ModalActions>
    </form>
  );
}

type NoticesProps = { scopes: readonly Scope[]; tried: boolean; error: Failure | null };

function Notices({ scopes, tried, error }: NoticesProps) {
  return (
    <>
      {tried && scopes.length === 0 && <Notice tone="bad">Choose at least one scope.</Notice>}
      {movesMoney(scopes) && (
        <Notice tone="waiting">
          These scopes move money, so another Super Admin must approve the key before it works.
        </Notice>
      )}
      {error && (
        <Notice tone="bad" reference={error.reference}>
          {error.message}
        </Notice>
      )}
    </>
  );
}

function Scopes({ scopes, toggle }: { scopes: readonly Scope[]; toggle: (scope: Scope) => void }) {
  return (
    <fieldset className="key-scopes">
      <legend className="key-scopes-name">Scopes</legend>
      {Scope.options.map((scope) => (
        <CheckBox
          key={scope}
          label={`${scopeTexts[scope]} (${scope})`}
          checked={scopes.includes(scope)}
          onToggle={() => toggle(scope)}
        />
      ))}
    </fieldset>
  );
}

type Created = { key: ApiKey; secret: string };

export function NewSecret({ created: { key, secret }, onClose }: { created: Created; onClose: () => void }) {
  const waits = key.secrets[0]?.state === 'waiting';
  return (
    <SecretOnce title="Copy the API key now. It won't be shown again." secret={secret} onClose={onClose}>
      {waits ? 'It works once another Super Admin has approved it.' : 'It works now.'} Send it in the header
      “Authorization: Bearer …” and keep it out of browsers and source code.
    </SecretOnce>
  );
}
