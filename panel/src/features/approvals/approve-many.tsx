import type { ListedApproval } from 'contract/approvals.ts';
import { labelOfFact } from '#panel/domain/fact-text.ts';
import { FactValue } from '#panel/domain/fact-value.tsx';
import { SignalMarks } from '#panel/domain/withdrawal-signals.tsx';
import { Button } from '#panel/ui/button.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { OutcomeOfMany } from '#panel/ui/outcome-of-many.tsx';
import { formatCount, formatTotal } from '#panel/ui/table/view.ts';
import { useApproveMany } from './approving-many.ts';
import { amountOf, nameOf } from './columns.tsx';
import { formatTotals } from './totals.ts';

const noun = { one: 'request', many: 'requests' };
const formatRequests = (count: number) => formatTotal({ count, capped: false }, noun);

type Props = { approvals: readonly ListedApproval[]; onDecided: () => void; onClose: () => void };

/** Lists the requests before they are approved, and afterwards each one that was refused. */
export function ApproveMany({ approvals, onDecided, onClose }: Props) {
  const { approve, progress, outcome } = useApproveMany({ approvals, onDecided, onClose });
  if (outcome) {
    const left = outcome.failed.map(({ approval, why }) => ({
      id: approval.id,
      name: nameOf(approval),
      why,
    }));
    const done = outcome.done > 0 ? [`${formatRequests(outcome.done)} approved.`] : [];
    return <OutcomeOfMany done={done} left={left} noun={noun} onClose={onClose} />;
  }
  const totals = formatTotals(approvals);
  return (
    <>
      <p className="approval-question">
        Approve {formatRequests(approvals.length)}
        {totals && ` totaling ${totals}`}?
      </p>
      <p className="approval-quiet">Each request is decided separately. Payments can't be undone.</p>
      <ul className="approval-summary" aria-label="Requests to approve">
        {approvals.map((approval) => (
          <Line key={approval.id} approval={approval} />
        ))}
      </ul>
      <ModalActions waiting={progress !== undefined}>
        <Button loading={progress !== undefined} onClick={approve}>
          Approve {formatCount(approvals.length)}
        </Button>
      </ModalActions>
      <output className="approval-quiet">
        {progress !== undefined && `${formatCount(progress)} of ${formatCount(approvals.length)} decided`}
      </output>
    </>
  );
}

function Line({ approval }: { approval: ListedApproval }) {
  const amount = amountOf(approval);
  const further = approval.facts.slice(1).filter((fact) => fact !== amount);
  return (
    <li>
      <span>
        {nameOf(approval)}
        <span className="approval-quiet"> requested by {approval.requestedBy.username}</span>
        {further.map((fact) => (
          <span key={fact.key} className="approval-quiet approval-fact">
            {labelOfFact(fact)} <FactValue fact={fact} />
          </span>
        ))}
        <SignalMarks signals={approval.signals} />
      </span>
      {amount && <FactValue fact={amount} />}
    </li>
  );
}
