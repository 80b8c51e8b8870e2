import { Textarea } from '@mantine/core';
import { type Approval, approveRefusals, type ListedApproval } from 'contract/approvals.ts';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { use, useEffect, useRef, useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { useNowMs } from '#panel/ui/clock.ts';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { useDecideApproval } from './api.ts';
import { DecidingFlow } from './deciding-flow.ts';

type Props = { approval: ListedApproval; aloneAfterSeconds: number | null };

/** Returns the refusal of the server, unless a single administrator's waiting period has ended since the response. */
function refusalNow({ refusal, requestedAt }: ListedApproval, { now, delay }: { now: number; delay: number | null }) {
  const isOver = delay !== null && now >= requestedAt.getTime() + delay * 1000;
  return refusal === 'TooEarly' && isOver ? null : refusal;
}

/**
 * Returns why this administrator cannot approve or deny, with the text that the server would refuse with. Everyone who
 * has the permission for this kind of request can deny it, even its requester.
 */
function useDisabledReasons({ approval, aloneAfterSeconds }: Props) {
  const me = useMe();
  const now = useNowMs();
  const denied = holds(me, 'money.approve') ? undefined : anyCallRefusals[403].PermissionDenied;
  const refusal = refusalNow(approval, { now, delay: aloneAfterSeconds });
  const notApprove = denied ?? (refusal ? approveRefusals[refusal] : undefined);
  return { notApprove, notDeny: refusal === 'ApproverNotPermitted' ? notApprove : denied };
}

export function Decide({ approval, aloneAfterSeconds }: Props) {
  const { notApprove, notDeny } = useDisabledReasons({ approval, aloneAfterSeconds });
  const [denying, setDenying] = useState(false);
  const { onDecided, autoOpened } = use(DecidingFlow);
  const unread = useUnread(autoOpened === approval.id);
  const deciding = useDecideApproval({ onDone: onDecided });
  const deny = useRef<HTMLButtonElement>(null);
  const wasDenying = useRef(false);
  // The focused button of the form is unmounted, so keyboard focus returns to Deny.
  useEffect(() => {
    if (!denying && wasDenying.current) deny.current?.focus();
    wasDenying.current = denying;
  }, [denying]);
  const { id, digest } = approval;
  const approve = () =>
    !deciding.isPending && deciding.mutate({ params: { id }, body: { decision: 'approve', digest } });
  if (denying) return <DenyForm approval={approval} onClose={() => setDenying(false)} />;
  return (
    <div className="overlay-foot">
      <Button disabledReason={notApprove ?? unread} loading={deciding.isPending} onClick={approve}>
        Approve
      </Button>
      <Button ref={deny} variant="default" disabledReason={notDeny} onClick={() => setDenying(true)}>
        Deny
      </Button>
    </div>
  );
}

const tooShortToReadMs = 700;

/** Disables Approve briefly, so that a double click on the previous request does not decide the next one. */
function useUnread(openedAutomatically: boolean) {
  const [unread, setUnread] = useState(openedAutomatically);
  useEffect(() => {
    const timer = setTimeout(() => setUnread(false), tooShortToReadMs);
    return () => clearTimeout(timer);
  }, []);
  return unread ? 'Read this request first.' : undefined;
}

function DenyForm({ approval: { id, digest }, onClose }: { approval: Approval; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const { onDecided } = use(DecidingFlow);
  const deciding = useDecideApproval({ onDone: onDecided });
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const trimmed = reason.trim();
  const submit = () => {
    if (trimmed === '' || deciding.isPending) return;
    deciding.mutate({ params: { id }, body: { decision: 'deny', digest, reason: trimmed } });
  };
  return (
    <form
      className="overlay-foot approval-denial"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FormFields saving={deciding.isPending}>
        <Textarea
          ref={field}
          label="Reason"
          description="Shown with the request and saved in the audit log."
          required
          rows={3}
          maxLength={500}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </FormFields>
      <div className="approval-buttons approval-denying">
        <Button
          type="submit"
          color="red"
          loading={deciding.isPending}
          disabledReason={trimmed === '' ? 'Enter a reason first.' : undefined}
        >
          Deny
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
