import type { SettlementSource } from 'contract/withdrawal-states.ts';
import type { Withdrawal } from 'contract/withdrawals.ts';
import { ShortId } from '#panel/ui/short-id.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';

type Entry = { name: string; at: Date; by: string };

/** The states of a withdrawal in order: when each began, and who said so. */
export function History({ withdrawal }: { withdrawal: Withdrawal }) {
  const { reference } = withdrawal;
  return (
    <>
      <ol className="withdrawal-history">
        {entriesOf(withdrawal).map(({ name, at, by }) => (
          <li key={name} className="withdrawal-step">
            <span className="withdrawal-step-name">{name}</span>
            <span className="withdrawal-quiet">
              {by}, <Timestamp at={at} />
            </span>
          </li>
        ))}
      </ol>
      {reference !== null && (
        <p className="withdrawal-quiet">
          Reference <ShortId id={reference} />
        </p>
      )}
    </>
  );
}

/** Every state is reached once at most, so each has a time of its own. */
function entriesOf(it: Withdrawal): Entry[] {
  const decided = it.decidedBy ?? 'The platform';
  const others = [
    entry(decisionOf(it), it.decidedAt, withRequester(decided, it.preparedBy)),
    entry('Sent to platform', it.askedAt, 'Automatically'),
    entry('Sent', it.sentAt, reporter(it.sentBy, it.sentSource)),
    entry('Unknown', it.unknownAt, reporter(it.unknownBy, it.unknownSource)),
    entry(
      it.state === 'failed' ? 'Failed' : 'Completed',
      it.settledAt,
      withRequester(reporter(it.settledBy, it.settledSource), it.failureRequestedBy),
    ),
  ];
  return [{ name: 'Requested', at: it.date, by: it.user }, ...others.flatMap((found) => found ?? [])];
}

/** Withdrawals that were completed before outcomes were recorded have no other entry. */
function decisionOf({ state, settledAt }: Withdrawal) {
  if (state === 'rejected') return 'Rejected';
  return state === 'confirmed' && !settledAt ? 'Completed' : 'Approved';
}

const entry = (name: string, at: Date | null, by: string): Entry | undefined => (at ? { name, at, by } : undefined);

const withRequester = (by: string, requester: string | null) =>
  requester === null || requester === by ? by : `${by}, requested by ${requester}`;

function reporter(name: string | null, source: SettlementSource | null) {
  if (name !== null) return name;
  return source === 'clock' ? 'Automatically' : 'The platform';
}
