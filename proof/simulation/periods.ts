import { dayMs, dayOf, type Kind, keyOf, type Model, postedLines, type Run, type Settings } from './model.ts';

/** The settings that apply at a time: the last version that had taken effect. */
export function settingsAt({ versions }: Model, kind: Kind, at: number): Settings {
  const version = versions.findLast((one) => one.kind === kind && one.from < at);
  if (!version) throw new Error(`The model has no settings of ${kind}.`);
  return version;
}

type Period = Pick<Run, 'kind' | 'period' | 'day' | 'asOf'>;

/** What a run planned now would pay, or null if nothing is due. */
export function periodToPay(model: Model, settings: Settings): Period | null {
  const { kind } = settings;
  if (kind === 'stake-payout') {
    const day = firstUnpaidDay(model, dayOf(model.now - dayMs));
    return day === null ? null : { kind, period: day, day, asOf: Date.parse(day) + dayMs };
  }
  const monday = dayOf(model.now - ((new Date(model.now).getUTCDay() + 6) % 7) * dayMs);
  const period = `${weekOf(monday)} ${settings.value.rank}`;
  return isFullyPaid(model, { kind, period }) ? null : { kind, period, day: monday, asOf: model.now };
}

/** The week of 2026 that begins on a Monday: the first one begins on 29 December 2025. */
function weekOf(monday: string) {
  const week = 1 + Math.round((Date.parse(monday) - Date.parse('2025-12-29')) / (7 * dayMs));
  return `2026-W${String(week).padStart(2, '0')}`;
}

/** Days are paid in order, from that of the first run that was started. A plan that nobody starts does not count. */
function firstUnpaidDay(model: Model, lastDay: string) {
  const started = model.runs.filter((run) => run.kind === 'stake-payout' && run.reverses === null && run.hasStarted);
  const first = started.map(({ day }) => day).toSorted()[0] ?? lastDay;
  for (let at = Date.parse(first); at <= Date.parse(lastDay); at += dayMs) {
    if (!isFullyPaid(model, { kind: 'stake-payout', period: dayOf(at) })) return dayOf(at);
  }
  return null;
}

type Paid = Pick<Run, 'kind' | 'period'>;

const isOf =
  ({ kind, period }: Paid) =>
  (run: Run) =>
    run.kind === kind && run.period === period;

/** Whether a run of the period was completed for all users, and nothing of it was reversed for all users since. */
function isFullyPaid({ runs }: Model, paid: Paid) {
  const completed = runs.findLastIndex(
    (run) => isOf(paid)(run) && run.state === 'completed' && run.reverses === null && run.onlyUser === null,
  );
  if (completed === -1) return false;
  return !runs
    .slice(completed + 1)
    .some((run) => isOf(paid)(run) && run.reverses !== null && run.onlyUser === null && postedLines(run).length > 0);
}

/** Whether the period of a run that has ended is not fully paid. */
export function hasUnpaidPeriod(model: Model, run: Run) {
  if (run.reverses !== null) return false;
  if (run.kind === 'stake-payout') return firstUnpaidDay(model, dayOf(model.now)) === run.period;
  return !isFullyPaid(model, run);
}

type Rules = Pick<Run, 'asOf' | 'settings'>;

/**
 * The rules of a payment: a period that was paid before keeps the time of its first payment, and a rank bonus of which
 * some payments still stand keeps its amount.
 */
export function rulesOf(model: Model, due: Period, saved: Settings): Rules {
  const earlier = model.runs.filter((run) => isOf(due)(run) && run.reverses === null && run.hasStarted);
  const asOf = earlier.length > 0 ? Math.min(...earlier.map((run) => run.asOf)) : due.asOf;
  const activePayment = earlier.findLast((run) => reversedOf(model, run) !== 'fully' && postedLines(run).length > 0);
  if (due.kind === 'rank-bonus' && activePayment) return { asOf, settings: activePayment.settings };
  const meant = model.versions.findLast((one) => one.from < asOf && isForSame(one, saved));
  return { asOf, settings: meant ?? saved };
}

function isForSame(one: Settings, other: Settings) {
  if (one.kind !== other.kind) return false;
  return one.kind !== 'rank-bonus' || (other.kind === 'rank-bonus' && one.value.rank === other.value.rank);
}

/** How much of a run was reversed, for all users or for one. */
export function reversedOf({ runs }: Model, run: Run, user?: string) {
  const isMeant = (line: { user: string }) => user === undefined || line.user === user;
  const paid = postedLines(run).filter(isMeant);
  const taken = runs.filter(({ reverses }) => reverses === run.id).flatMap((back) => postedLines(back).filter(isMeant));
  const keys = new Set(taken.map((line) => keyOf(run, line)));
  if (keys.size === 0) return 'none';
  return keys.size < paid.length ? 'partly' : 'fully';
}
