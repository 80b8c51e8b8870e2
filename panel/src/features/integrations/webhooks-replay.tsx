import { NativeSelect, TextInput } from '@mantine/core';
import { EventSeq } from 'contract/integrations-events.ts';
import type { Webhook } from 'contract/integrations-webhooks.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { Modal, ModalActions } from '#panel/ui/modal.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { useReplayWebhook } from './webhooks-api.ts';

const consequence =
  'All events from this point on are sent again in order, with the same IDs. New events follow after them.';

/** The field has no time zone; the platform shows UTC everywhere. */
const timeIn = (text: string) => {
  const time = new Date(`${text}Z`);
  return text === '' || Number.isNaN(time.getTime()) ? undefined : time;
};

/** Replays from a time or from the number of an event. */
export function ReplayForm({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [by, setBy] = useState('time');
  const [typed, setTyped] = useState('');
  const [tried, setTried] = useState(false);
  const replaying = useReplayWebhook({ onSuccess: onClose });
  const from = fromOf(by, typed);
  const submit = () => {
    setTried(true);
    if (from && !replaying.isPending) replaying.mutate({ params: { id: webhook.id }, body: { from } });
  };
  const missing = by === 'time' ? 'Enter a date and time.' : 'Enter the number of an event.';
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="integration-note">{consequence}</p>
      <FormFields saving={replaying.isPending}>
        <NativeSelect
          label="Start from"
          value={by}
          data={[
            { value: 'time', label: 'A date and time' },
            { value: 'event', label: 'An event' },
          ]}
          onChange={({ currentTarget }) => {
            setBy(currentTarget.value);
            setTyped('');
          }}
        />
        <TextInput
          key={by}
          label={by === 'time' ? 'Date and time (UTC)' : 'Event number'}
          type={by === 'time' ? 'datetime-local' : 'text'}
          inputMode={by === 'time' ? 'text' : 'numeric'}
          required
          value={typed}
          error={tried && !from && missing}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </FormFields>
      {replaying.error && (
        <Notice tone="bad" reference={replaying.error.reference}>
          {replaying.error.message}
        </Notice>
      )}
      <ModalActions waiting={replaying.isPending}>
        <Button type="submit" loading={replaying.isPending}>
          Replay
        </Button>
      </ModalActions>
    </form>
  );
}

function fromOf(by: string, typed: string) {
  if (by === 'time') {
    const time = timeIn(typed);
    return time && { time };
  }
  const seq = EventSeq.safeDecode(typed.trim());
  return seq.success ? { seq: seq.data } : undefined;
}

type FromProps = { webhook: Webhook; seq: bigint; denied: string | undefined };

/** Replays from the event that is shown. */
export function ReplayFrom({ webhook, seq, denied }: FromProps) {
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  const replaying = useReplayWebhook({ onSuccess: close });
  return (
    <>
      <Button variant="default" disabledReason={denied} onClick={() => setOpened(true)}>
        Replay from here
      </Button>
      <Modal title="Replay events" opened={opened} onClose={close}>
        <p className="integration-question">Replay from event {String(seq)}?</p>
        <p className="integration-note">{consequence}</p>
        {replaying.error && (
          <Notice tone="bad" reference={replaying.error.reference}>
            {replaying.error.message}
          </Notice>
        )}
        <ModalActions waiting={replaying.isPending}>
          <Button
            loading={replaying.isPending}
            onClick={() => replaying.mutate({ params: { id: webhook.id }, body: { from: { seq } } })}
          >
            Replay
          </Button>
        </ModalActions>
      </Modal>
    </>
  );
}
