import { Link } from '@tanstack/react-router';
import { requestRepair, refuseRepair, type TreeReport } from 'contract/referrals.ts';
import { useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { useNowMs } from '#panel/ui/clock.ts';
import { Modal, ModalActions } from '#panel/ui/modal.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { formatCount, formatTotal } from '#panel/ui/table/view.ts';
import { exactUtc } from '#panel/ui/time-text.ts';
import { useDisabledReason } from './job-foot.tsx';
import { useRequestRepair } from './tree-api.ts';

type Props = { report: TreeReport; newest: TreeReport };

/** The button that requests a repair of the counters, or the state of the repair. */
export function TreeRepair({ report, newest }: Props) {
  const [opened, setOpened] = useState(false);
  const denied = useDisabledReason();
  const refusal = refuseRepair(report, { newest: newest.id, now: new Date(useNowMs()) });
  const close = () => setOpened(false);
  if (report.repair) return <Repair repair={report.repair} />;
  return (
    <div className="tree-repair">
      <Button
        variant="default"
        disabledReason={denied ?? (refusal && requestRepair.refusals[409][refusal])}
        onClick={() => setOpened(true)}
      >
        Repair counters…
      </Button>
      <Modal title="Repair Counters" opened={opened} onClose={close}>
        <RepairForm report={report} onDone={close} />
      </Modal>
    </div>
  );
}

function Repair({ repair }: { repair: NonNullable<TreeReport['repair']> }) {
  const { state, request, requestedBy, approvedBy, endedAt } = repair;
  return (
    <p className="tree-repair tree-quiet">
      {state === 'requested' && `${requestedBy} requested approval of the repair of the counters.`}
      {state === 'repairing' &&
        `The counters are being repaired: ${approvedBy} approved the request of ${requestedBy}.`}
      {state === 'repaired' && (
        <span>
          The counters were repaired {endedAt && <Timestamp at={endedAt} />}: {approvedBy} approved the request of{' '}
          {requestedBy}. Check the tree again to see it.
        </span>
      )}{' '}
      <Link to="/dashboard/approvals" search={{ approval: request }} className="jobs-link">
        See the request
      </Link>
    </p>
  );
}

const users = { one: 'user', many: 'users' };

function RepairForm({ report: shown, onDone }: { report: TreeReport; onDone: () => void }) {
  // The dialog keeps the report it opened with, even if a newer one arrives.
  const [report] = useState(shown);
  const { requestRepair, isPending } = useRequestRepair({ onDone });
  const { wrong, at } = report;
  const figures = [
    `referral count of ${formatCount(wrong.referralCount)}`,
    `network of ${formatCount(wrong.totalNetwork)}`,
    `volume in SOL of ${formatCount(wrong.totalTeamVolumeSOL)}`,
    `volume in USD of ${formatCount(wrong.totalTeamVolumeUSD)}`,
  ];
  return (
    <>
      <p className="tree-question">
        Correct the counters of {formatTotal({ count: wrong.users, capped: false }, users)}?
      </p>
      <ul className="tree-consequences">
        <li>In all: {figures.join(', ')}.</li>
        <li>
          Each counter changes by the difference found{at && ` at ${exactUtc(at)}`}. Users who joined or staked since
          then stay counted.
        </li>
        <li>Loops, sponsors and wallets are not changed.</li>
        <li>A second approver must approve it first. Nothing changes before that.</li>
      </ul>
      <ModalActions waiting={isPending}>
        <Button loading={isPending} onClick={() => requestRepair(report)}>
          Request approval
        </Button>
      </ModalActions>
    </>
  );
}
