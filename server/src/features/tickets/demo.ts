import type { TicketStatus } from 'contract/tickets.ts';
import type { CopyIn } from '#server/core/db/copy.ts';
import type { Database, Tx } from '#server/core/db/db.ts';

type Exchange = { subject: string; description: string; replies: string[] };

/** These texts fit every demo user: they are questions and claim nothing about the user's own money. */
const exchanges: Exchange[] = [
  {
    subject: 'Withdrawal still pending',
    description: 'What happens to a withdrawal while it still says Pending? The guide does not explain it.',
    replies: [
      'Thank you for writing. One of us looks at every request, and a second approver has to approve the large ones.',
    ],
  },
  {
    subject: 'Stake payout lower than yesterday',
    description: 'Can a stake pay less on one day than it did on the day before? The guide does not say.',
    replies: [],
  },
  {
    subject: 'Wallet change',
    description:
      'How can I use another wallet from now on? I looked for it at https://example.com/profile and did not find it.',
    replies: [
      'Please give the new address with the next withdrawal that you request.',
      'We look at it more closely the first time, because nothing was paid to it before.',
    ],
  },
  {
    subject: 'Referral not counted',
    description: 'From when on is a referral counted? A colleague wants to join with my code.',
    replies: ['It is counted by the first referral check after your colleague has placed a stake.'],
  },
  {
    subject: 'GMP shares after transfer',
    description:
      'Where do I see how many GMP shares I hold after a transfer? The page at http://example.org/shares stays empty.',
    replies: [],
  },
  {
    subject: 'Task reward missing',
    description: 'Where do I ask when the reward for a task is missing, and what do you need to know about it?',
    replies: ['Here is the right place. Please name the task, and send the link that belongs to it.'],
  },
  {
    subject: 'Rank shows Silver instead of Gold',
    description: 'A picture in the guide shows the rank Silver, and the text below it speaks of Gold. Which is meant?',
    replies: [],
  },
  {
    subject: 'Cannot connect wallet',
    description: 'Connecting ends with an empty page in my browser. I tried twice, and on another computer too.',
    replies: ['Which browser and wallet do you use?', 'A fix is out. Please reload the page once.'],
  },
];

const users = [
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

/** Inserts the same tickets every time; the newest is a quarter of an hour old. */
export async function seedDemoTickets(database: Database) {
  const now = Date.now();
  await database.transaction().execute(async (tx) => {
    for (let index = 0; index < demoTickets; index += 1) {
      const { subject: type, description, replies } = pick(exchanges, index * 5 + (index >> 3));
      const createdAt = new Date(now - hour / 4 - index * index * (hour / 3));
      const answered = replies.length > 0;
      const status: TicketStatus = answered ? pick(answeredStatuses, index) : 'open';
      const username = pick(users, index * 7);
      const replyRows = replies.map((message, turn) => ({
        sender: turn % 2 === 0 ? 'amara.osei' : 'tomasz.lind',
        message,
        createdAt: new Date(Math.min(now, createdAt.getTime() + (turn + 1) * (hour / 8))),
      }));
      await insertExchange(tx, { type, description, username, status, createdAt, replies: replyRows });
    }
  });
}

type Reply = { sender: string; message: string; createdAt: Date };
export type SeedExchange = Pick<SeedTicket, 'type' | 'description' | 'username' | 'status' | 'createdAt'> & {
  replies: Reply[];
};

/** Inserts a ticket with its replies. */
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

export const recountTickets =
  'insert into ticket_count (status, delta) select status, count(*) from ticket group by status';
