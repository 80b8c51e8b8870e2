import { NativeSelect, TextInput } from '@mantine/core';
import { SubscribedType } from 'contract/integrations-events.ts';
import { createWebhook, type Webhook } from 'contract/integrations-webhooks.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { CheckBox } from '#panel/ui/check-box.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { ModalActions, useFocusOnArrival } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { useCreateWebhook, useUpdateWebhook } from './webhooks-api.ts';
import { WebhookSecret } from './webhooks-secret.tsx';

type Props = { webhook?: Webhook | undefined; onClose: () => void };

const { url: Url } = createWebhook.body.shape;

/** Mounted only while the modal is open. After a webhook was added, it shows the secret once. */
export function WebhookForm({ webhook, onClose }: Props) {
  const [secret, setSecret] = useState<string>();
  const first = useFocusOnArrival<HTMLInputElement>();
  const creating = useCreateWebhook({ onSuccess: (answer) => setSecret(answer.secret) });
  const updating = useUpdateWebhook({ onSuccess: onClose });
  const { isPending, error } = webhook ? updating : creating;
  const [typed, setTyped] = useState({ url: webhook?.url ?? '', description: webhook?.description ?? '' });
  const [types, setTypes] = useState<readonly SubscribedType[] | null>(() => knownTypes(webhook));
  const [tried, setTried] = useState(false);
  const url = Url.safeParse(typed.url.trim());
  if (secret !== undefined) return <WebhookSecret secret={secret} onClose={onClose} />;
  const submit = () => {
    setTried(true);
    if (!url.success || types?.length === 0 || isPending) return;
    const body = { url: url.data, description: typed.description.trim(), types: types && [...types] };
    if (webhook) updating.mutate({ params: { id: webhook.id }, body: { ...body, version: webhook.version } });
    else creating.mutate({ body });
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
      <FormFields saving={isPending}>
        <TextInput
          label="URL"
          description="A public address that accepts POST requests over HTTPS."
          type="url"
          required
          data-autofocus
          ref={first}
          value={typed.url}
          error={tried && !url.success && (typed.url.trim() === '' ? 'Enter a URL.' : 'Enter a complete URL.')}
          onChange={({ currentTarget }) => setTyped({ ...typed, url: currentTarget.value })}
        />
        <TextInput
          label="Description"
          maxLength={200}
          value={typed.description}
          onChange={({ currentTarget }) => setTyped({ ...typed, description: currentTarget.value })}
        />
        <Types types={types} onChange={setTypes} />
      </FormFields>
      {tried && types?.length === 0 && <Notice tone="bad">Choose at least one event.</Notice>}
      {error && (
        <Notice tone="bad" reference={error.reference}>
          {error.message}
        </Notice>
      )}
      <ModalActions waiting={isPending}>
        <Button type="submit" loading={isPending}>
          {webhook ? 'Save' : 'Add webhook'}
        </Button>
      </ModalActions>
    </form>
  );
}

const knownTypes = (webhook: Webhook | undefined) =>
  webhook?.types ? SubscribedType.options.filter((type) => webhook.types?.includes(type)) : null;

type TypesProps = {
  types: readonly SubscribedType[] | null;
  onChange: (types: readonly SubscribedType[] | null) => void;
};

function Types({ types, onChange }: TypesProps) {
  const toggle = (type: SubscribedType) =>
    onChange(types?.includes(type) ? types.filter((one) => one !== type) : [...(types ?? []), type]);
  return (
    <>
      <NativeSelect
        label="Events"
        value={types === null ? 'all' : 'some'}
        data={[
          { value: 'all', label: 'All events' },
          { value: 'some', label: 'Selected events' },
        ]}
        onChange={({ currentTarget }) => onChange(currentTarget.value === 'all' ? null : [])}
      />
      {types !== null && (
        <fieldset className="webhook-types" aria-label="Selected events">
          {SubscribedType.options.map((type) => (
            <CheckBox key={type} label={type} checked={types.includes(type)} onToggle={() => toggle(type)} />
          ))}
        </fieldset>
      )}
    </>
  );
}
