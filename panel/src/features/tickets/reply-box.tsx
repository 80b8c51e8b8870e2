import { Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { type KeyboardEvent, useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { useFocusOnArrival } from '#panel/ui/modal.tsx';
import { useReply } from './api.ts';

const longestReply = 5_000;
const sendKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

/** On a touch screen, focus opens a keyboard that would cover the ticket. */
const opensKeyboard = window.matchMedia('(hover: none)').matches;

export function ReplyBox({ ticketId }: { ticketId: string }) {
  const denied = holds(useMe(), 'tickets.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const [draft, setDraft] = useDraft(ticketId);
  const { send, isPending } = useReply(ticketId, {
    // Text typed while the reply was being sent is kept as the next draft.
    onSent: (sent) => setDraft((now) => (now.trim() === sent.trim() ? '' : now)),
  });
  const takesFocus = !opensKeyboard && denied === undefined;
  const box = useFocusOnArrival<HTMLTextAreaElement>({ wanted: takesFocus });
  const empty = draft.trim() === '';
  const submit = () => {
    if (!empty && !isPending && !denied) send(draft);
  };
  // The button is disabled while sending and would lose the focus, so the box gets it.
  const sendByButton = () => {
    if (takesFocus) box.current?.focus({ preventScroll: true });
    submit();
  };
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  };
  return (
    <div>
      <Textarea
        ref={box}
        label="Reply"
        data-autofocus={takesFocus || undefined}
        placeholder={denied ?? 'Write a reply'}
        rows={4}
        maxLength={longestReply}
        value={draft}
        disabled={denied !== undefined}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={sendByKey}
      />
      <div className="ticket-reply-foot">
        <span className="ticket-hint">
          <kbd>{sendKey}</kbd> <kbd>Enter</kbd> sends
        </span>
        <Button
          loading={isPending}
          disabledReason={denied ?? (empty ? 'Write a reply first.' : undefined)}
          onClick={sendByButton}
        >
          Send Reply
        </Button>
      </div>
    </div>
  );
}

/** Keeps an unsent reply in the query cache, for some minutes after the modal closes and at most until sign-out. */
function useDraft(ticketId: string) {
  const queryClient = useQueryClient();
  const key = ['drafts', 'tickets', ticketId];
  const [draft, setDraft] = useState(() => queryClient.getQueryData<string>(key) ?? '');
  const keep = (next: string | ((now: string) => string)) =>
    setDraft((now) => {
      const text = typeof next === 'string' ? next : next(now);
      queryClient.setQueryData(key, text);
      return text;
    });
  return [draft, keep] as const;
}
