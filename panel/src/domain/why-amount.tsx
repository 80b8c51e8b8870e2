import { explainLine } from 'contract/explain.ts';
import { statusOf } from 'contract/explanation.ts';
import { kindNames } from 'contract/ledger.ts';
import { Link } from '@tanstack/react-router';
import type { RunLine } from 'contract/runs-lines.ts';
import type { Payment, ReversedTransfer } from 'contract/runs-payments.ts';
import type { Run } from 'contract/runs.ts';
import type { ReactNode } from 'react';
import { AlignedAmounts } from '#panel/ui/aligned-amounts.tsx';
import { moneyIn } from '#panel/ui/amount.tsx';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { CopyButton } from '#panel/ui/copy-button.tsx';
import { writeLetter } from './explanation-letter.ts';
import { componentNames, formatOutcome, formatWhyNot, isReceived, totalName } from './explanation-text.ts';
import { formatRun } from './run-text.ts';
import './why-amount.css';

type Props = Payment & {
  /** Empty unless the run is a reversal. */
  reversedTransfers: readonly ReversedTransfer[];
  /** What the user owes since the reversal, or what the run settled of it. Null if nothing. */
  receivable: string | null;
};

/** Shows how every component of a payment was calculated, and what became of it. */
export function WhyAmount(payment: Props) {
  const { run, line, reversedTransfers, receivable } = payment;
  return (
    <>
      {run.reverses === null ? (
        <Components {...payment} />
      ) : (
        <Reversal run={run} reverses={run.reverses} line={line} transfers={reversedTransfers} receivable={receivable} />
      )}
      <CopyButton label="Copy as text" text={() => writeLetter(payment)} />
    </>
  );
}

function Components(payment: Props) {
  const explanation = explainLine(payment);
  const { components, status, due, asset } = explanation;
  const settled = payment.receivable === null ? [] : [{ amount: payment.receivable, asset }];
  return (
    <AlignedAmounts amounts={[...components, { amount: due, asset }, ...settled].map(moneyIn)} named>
      <dl className="why">
        {components.map((component) => (
          <Step
            key={component.code}
            name={componentNames[component.code]}
            amount={<AssetAmount {...component} />}
            isQuiet={!isReceived(component, status)}
            formula={component.formula}
            rounding={component.rounding}
          >
            {formatOutcome(component, status)}
          </Step>
        ))}
        <div className="why-step why-total">
          <dt className="why-name">{totalName(explanation)}</dt>
          <dd className="why-amount">
            <AssetAmount amount={due} asset={asset} />
          </dd>
        </div>
        {settled.map((money) => (
          <Step key="settled" name="Receivable settled" amount={<AssetAmount {...money} />} isQuiet>
            What the user owed after a reversal, deducted from their payments in this run
          </Step>
        ))}
      </dl>
    </AlignedAmounts>
  );
}

type StepProps = {
  name: string;
  amount: ReactNode;
  /** The user does not get the amount. */
  isQuiet: boolean;
  formula?: string | null;
  rounding?: string | null;
  /** What became of the amount. */
  children: ReactNode;
};

function Step({ name, amount, isQuiet, formula = null, rounding = null, children }: StepProps) {
  return (
    <div className="why-step" data-quiet={isQuiet || undefined}>
      <dt className="why-name">{name}</dt>
      <dd className="why-amount">{amount}</dd>
      <dd className="why-outcome">{children}</dd>
      {formula !== null && (
        <dd className="why-formula">
          {formula}
          {rounding !== null && <span className="why-rounding">{rounding}</span>}
        </dd>
      )}
    </div>
  );
}

const reversalVerbs = {
  paid: 'Reversed',
  reversed: 'Reversed',
  planned: 'To be reversed',
  'not-posted': 'Not reversed',
  skipped: 'Not reversed',
};

type ReversalProps = Pick<Props, 'receivable'> & {
  run: Run;
  reverses: string;
  line: RunLine;
  transfers: readonly ReversedTransfer[];
};

/** A reversal calculates nothing: it reverses posted transfers of another run. */
function Reversal({ run, reverses, line, transfers, receivable }: ReversalProps) {
  const status = statusOf(line, run);
  const why = formatWhyNot(status);
  const booked = receivable === null ? [] : [{ amount: receivable, asset: run.asset }];
  const amounts = [...transfers.map(({ amount }) => ({ amount: `-${amount}`, asset: run.asset })), ...booked];
  return (
    <AlignedAmounts amounts={amounts.map(moneyIn)} named>
      <dl className="why">
        {transfers.map(({ id, kind, amount }) => (
          <Step
            key={id}
            name={kindNames[kind]}
            amount={<AssetAmount amount={`-${amount}`} asset={run.asset} />}
            isQuiet={why !== undefined}
          >
            {reversalVerbs[status.code]}
            {why !== undefined && `: ${why}`}. Transfer{' '}
            <Link to="/dashboard/ledger" search={{ transfer: id }} className="why-link why-reference">
              {id}
            </Link>{' '}
            of the run{' '}
            <Link to="/dashboard/runs/$id" params={{ id: reverses }} className="why-link">
              {formatRun({ ...run, reverses: null })}
            </Link>
          </Step>
        ))}
        {booked.map((money) => (
          <Step key="booked" name="Receivable booked" amount={<AssetAmount {...money} />} isQuiet>
            What the user had already spent of the payments that this run reverses, and now owes
          </Step>
        ))}
      </dl>
    </AlignedAmounts>
  );
}
