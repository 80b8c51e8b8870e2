import { type DailyLimit, splitByDailyLimit, type Withdrawal } from 'contract/withdrawals.ts';
import { formatAloneLimit } from '#panel/domain/alone-limit-text.ts';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';

type Props = { withdrawals: readonly Withdrawal[]; limit: DailyLimit };

/** Shows before a decision what is approved immediately, what goes to a second approver, and why. */
export function LimitSplit({ withdrawals, limit }: Props) {
  const { paidNow, needApproval } = splitByDailyLimit(withdrawals, limit);
  return (
    <>
      {withdrawals.length > 1 && (
        <Facts
          facts={[
            { name: 'Approved now', value: formatShare(paidNow) },
            { name: 'Need a second approver', value: formatShare(needApproval) },
          ]}
        />
      )}
      <p className="withdrawal-quiet">
        {withdrawals.length === 1 && needApproval.length === 1 && 'This goes to a second approver. '}
        {paidNow.length > 0 && "A payment can't be undone. "}
        {formatAloneLimit(limit, 'USD')}
        {needApproval.length > 0 && ' Anything above goes to a second approver.'}
      </p>
    </>
  );
}

const sumOf = (withdrawals: readonly Withdrawal[]) => withdrawals.reduce((sum, { amount }) => sum + amount, 0n);

function formatShare(withdrawals: readonly Withdrawal[]) {
  if (withdrawals.length === 0) return 'None';
  const count = formatTotal({ count: withdrawals.length, capped: false }, { one: 'withdrawal', many: 'withdrawals' });
  return `${count}, ${formatAmount(sumOf(withdrawals), 'USD')}`;
}
