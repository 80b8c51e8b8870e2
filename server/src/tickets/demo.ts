import type { TicketStatus } from 'contract/tickets.ts';
import type { CopyIn } from '#server/db/copy.ts';
import type { Database, Tx } from '#server/db/db.ts';

type Exchange = { subject: string; description: string; replies: string[] };

const exchanges: Exchange[] = [
  {
    subject: 'Withdrawal still pending',
    description: 'My withdrawal still says Pending. Is anything missing on my side?',
    replies: [
      'Thank you for writing. It is waiting for a second check because the wallet is new. We will confirm today.',
    ],
  },
  {
    subject: 'Stake payout lower than yesterday',
    description: 'My 60-day stake paid a little less today than it did yesterday. Nothing changed in my account. Why?',
    replies: [],
  },
  {
    subject: 'Wallet change',
    description:
      'I lost access to my old wallet and want to use a new one. The address is in my profile at https://example.com/profile',
    replies: [
      'Please confirm the last four characters of both addresses.',
      'Confirmed, the new wallet is active from now on.',
    ],
  },
  {
    subject: 'Referral not counted',
    description:
      'My colleague joined with my code last week and placed a first stake, but my referral count did not move.',
    replies: ['We found the referral. It is counted with the next referral check.'],
  },
  {
    subject: 'GMP shares after transfer',
    description:
      'How many GMP shares do I hold after the last distribution? The page at http://example.org/shares shows an old figure.',
    replies: [],
  },
  {
    subject: 'Task reward missing',
    description: 'I finished "Invite 5 friends" and the task shows Completed, but the reward is not in my balance.',
    replies: ['The reward was posted just now. Thank you for your patience.'],
  },
  {
    subject: 'Rank shows Silver instead of Gold',
    description: 'According to the ladder I should be Gold since Friday. Could you check?',
    replies: [],
  },
  {
    subject: 'Cannot connect wallet',
    description: 'Connecting ends with an empty page in my browser. I tried twice, and on another computer too.',
    replies: ['Which browser and wallet do you use?', 'A fix is out. Please reload the page once.'],
  },
];

const people = [
  'mira.k',
  'solwalker',
  'jdoe88',
  'northstar',
  'lena_v',
  'stake.pilot',
  'okoro',
  'papertiger',
  'ana.luz',
  'r2b',
  'hanami',
  'fjord',
];

const answeredStatuses: TicketStatus[] = [
  'in_progress',
  'awaiting_user',
  'resolved',
  'closed',
  'resolved',
  'rejected',
  'closed',
];

const pick = <T>(list: readonly T[], index: number): T => {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('The list is empty.');
  return item;
};

const demoTickets = 64;
const hour = 3_600_000;

/** The same tickets every time, the newest a quarter of an hour ago. */
export async function seedDemoTickets(database: Database) {
  const now = Date.now();
  await database.transaction().execute(async (tx) => {
    for (let index = 0; index < demoTickets; index += 1) {
      const { subject: type, description, replies } = pick(exchanges, index * 5 + (index >> 3));
      const createdAt = new Date(now - hour / 4 - index * index * (hour / 3));
      const answered = replies.length > 0;
      const status: TicketStatus = answered ? pick(answeredStatuses, index) : 'open';
      const username = pick(people, index * 7);
      const said = replies.map((message, turn) => ({
        sender: turn % 2 === 0 ? 'amara.osei' : 'tomasz.lind',
        message,
        createdAt: new Date(Math.min(now, createdAt.getTime() + (turn + 1) * (hour / 8))),
      }));
      await insertExchange(tx, { type, description, username, status, createdAt, replies: said });
    }
  });
}

type Reply = { sender: string; message: string; createdAt: Date };
export type SeedExchange = Pick<SeedTicket, 'type' | 'description' | 'username' | 'status' | 'createdAt'> & {
  replies: Reply[];
};

/** A ticket with what was answered to it. */
export async function insertExchange(tx: Tx, { replies, ...ticket }: SeedExchange) {
  const response = replies.at(-1)?.message ?? null;
  const row = tx.insertInto('ticket').values({ ...ticket, response });
  const { id } = await row.returning('id').executeTakeFirstOrThrow();
  for (const reply of replies) {
    await tx
      .insertInto('ticketReply')
      .values({ ticketId: id, ...reply })
      .execute();
  }
}

type SeedTicket = {
  id: string;
  type: string;
  description: string;
  username: string;
  status: TicketStatus;
  response: string | null;
  createdAt: Date;
};

export function copyTickets(copy: CopyIn, tickets: Iterable<SeedTicket>) {
  return copy('copy ticket (id, type, description, username, status, response, created_at) from stdin', lines());
  function* lines() {
    for (const { id, type, description, username, status, response, createdAt } of tickets) {
      yield [id, type, description, username, status, response, createdAt];
    }
  }
}

export const countTicketsAnew =
  'insert into ticket_count (status, delta) select status, count(*) from ticket group by status';
