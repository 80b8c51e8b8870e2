import { batchesOf } from './batches.ts';
import { callerOf, type CallSettings } from './call.ts';
import type { Payments, PlatformEvent } from './events.ts';
import type * as items from './items.ts';

/** A page of events. Pass `cursor` as `after` to continue. */
export type EventPage = { events: PlatformEvent[]; cursor: string; hasMore: boolean; oldest: string | null };

/** What one user received from a run or, in a reversal, what was reversed. Amounts are decimal text. */
export type Payment = {
  userUuid: string;
  userId: string;
  username: string;
  /** The stake that earned it. Null if no stake did. */
  stakeId: string | null;
  /** The referred user who earned it. Null if none did. */
  referredUserId: string | null;
  amount: string;
  /** What was set aside for the user until the stake ends. */
  setAside: string;
};

export type PaymentPage = Pick<Payments, 'runId' | 'kind' | 'period' | 'day' | 'asset'> & {
  reverses: string | null;
  payments: Payment[];
  cursor: string | null;
};

export type WithdrawalReported = { id: string; state: items.WithdrawalState; reference: string | null };

/**
 * Returns the calls of a platform. Each takes any number of items and returns one result for each, in their order. The
 * id of an item is its idempotency key, so a call that fails can be repeated as it was.
 */
export function createClient(settings: CallSettings) {
  const call = callerOf(settings);

  const sender =
    <Item, Code extends string>(path: string) =>
    async (all: readonly Item[]): Promise<items.Result<Code>[]> => {
      const results: items.Result<Code>[] = [];
      for (const batch of batchesOf(all)) {
        const answer = await call<{ results: items.Result<Code>[] }>('POST', path, { json: batch });
        results.push(...answer.results);
      }
      return results;
    };

  const readEvents = ({ after, limit = 1_000 }: { after?: string | undefined; limit?: number } = {}) => {
    const query = new URLSearchParams({ limit: String(limit), ...(after !== undefined && { after }) });
    return call<EventPage>('GET', `events?${query.toString()}`);
  };

  return {
    /** Adds users. A sponsor comes before the users they referred. */
    addUsers: sender<items.UserItem, items.UserRefusal>('users'),
    /** Adds what users paid in. */
    addDeposits: sender<items.DepositItem, items.DepositRefusal>('deposits'),
    placeStakes: sender<items.StakeItem, items.StakeRefusal>('stakes'),
    /** Ends stakes before their time. Their loyalty is forfeited. */
    endStakes: sender<items.StakeEnd, items.StakeEndRefusal>('stakes/end'),
    /** Requests withdrawals. Their amounts stay on hold until each withdrawal is confirmed, fails or is rejected. */
    requestWithdrawals: sender<items.WithdrawalItem, items.WithdrawalRefusal>('withdrawals'),
    openTickets: sender<items.TicketItem, items.TicketRefusal>('tickets'),
    addTicketMessages: sender<items.MessageItem, items.MessageRefusal>('ticket-messages'),
    submitTasks: sender<items.SubmissionItem, items.SubmissionRefusal>('task-submissions'),
    /** Counts what users do. */
    recordActivity: sender<items.ActivityItem, items.ActivityRefusal>('activity'),

    /**
     * Reports what became of a withdrawal that the platform was asked to send. `id` is the platform's own id, or the
     * `withdrawalId` of an event. The same report again changes nothing.
     */
    reportWithdrawal: (id: string, outcome: items.Outcome) =>
      call<WithdrawalReported>('POST', `withdrawals/${encodeURIComponent(id)}/outcome`, {
        json: JSON.stringify(outcome),
        isOnce: true,
      }),

    readEvents,
    /** Reads all events after a cursor, and ends when there are no more. */
    async *eventsAfter(after?: string) {
      let cursor = after;
      for (;;) {
        const page = await readEvents({ after: cursor });
        yield* page.events;
        if (!page.hasMore) return;
        cursor = page.cursor;
      }
    },

    /** Lists the payments that the data of an event `payment.made` or `payment.reversed` describes. */
    async *paymentsOf({ runId, chunk }: Pick<Payments, 'runId' | 'chunk'>) {
      let query = '';
      for (;;) {
        const page = await call<PaymentPage>('GET', `runs/${runId}/chunks/${chunk}/payments${query}`);
        yield* page.payments;
        if (page.cursor === null) return;
        query = `?after=${page.cursor}`;
      }
    },
  };
}

export type Client = ReturnType<typeof createClient>;
