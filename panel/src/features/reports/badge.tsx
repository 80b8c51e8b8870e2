type Props = { status: 'Completed' | 'Pending' | 'Active' | 'Ended' };

/** Green for Completed and Active, otherwise a warning. */
export function StatusBadge({ status }: Props) {
  const isGood = status === 'Completed' || status === 'Active';
  return (
    <span className="report-badge" data-tone={isGood ? 'good' : 'warning'}>
      {status}
    </span>
  );
}
