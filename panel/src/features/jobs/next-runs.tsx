import { readAmount } from 'contract/core/money.ts';
import { Amount } from '#panel/ui/amount.tsx';
import { useNowMs } from '#panel/ui/clock.ts';
import { numberIn } from './draft.ts';
import { type GmpDraft, recurrenceOf } from './gmp-draft.ts';
import { nextRuns } from 'contract/recurrence.ts';

const shown = 5;

const format = (timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: '2-digit',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });

const inUtc = format('UTC');
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const inZone = format(zone);

/** Shows the schedule of the unsaved draft. */
export function NextRuns({ draft }: { draft: GmpDraft }) {
  const from = new Date(useNowMs());
  const recurrence = recurrenceOf(draft);
  if (!recurrence) return <p className="jobs-hint">Enter a time and an offset to see when it would run.</p>;
  return (
    <>
      <table className="jobs-table">
        <thead>
          <tr>
            <th scope="col">UTC</th>
            <th scope="col">Your time ({zone.replaceAll('_', ' ')})</th>
          </tr>
        </thead>
        <tbody>
          {nextRuns(recurrence, from, shown).map((run) => (
            <tr key={run.toISOString()}>
              <td>
                <time dateTime={run.toISOString()}>{inUtc.format(run)}</time>
              </td>
              <td>{inZone.format(run)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="jobs-hint">
        {draft.enabled ? 'Each run shares out ' : 'It is not enabled. Enabled, each run would share out '}
        <Pool draft={draft} /> in proportion to the GMP shares of all users who are not blacklisted.
      </p>
    </>
  );
}

function Pool({ draft: { amount, percentage } }: { draft: GmpDraft }) {
  const units = readAmount(amount.trim(), 'GMP');
  const basisPoints = Math.round(numberIn(percentage) * 100);
  if (units === undefined || !(basisPoints >= 0 && basisPoints <= 10_000)) return 'the pool';
  return <Amount units={(units * BigInt(basisPoints)) / 10_000n} asset="GMP" />;
}
