/** The data to generate: a number of users who joined over a period that ends now. */
export type World = {
  users: number;
  now: Date;
  joinedAt: (index: number) => Date;
  /** How much of the users' history is in the ledger. */
  ledger: 'the whole history' | 'what they have today';
  /** The last day for which the loaded data paid stake rewards, at midnight UTC. */
  paidThrough: Date;
};

const dayMs = 86_400_000;

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - (now.getTime() % dayMs) - days * dayMs);

/** The last paid day, so that yesterday is left for the first user of the demo to pay. */
const leavesYesterday = 2;

/** How many of the demo's users joined in each month from January to July. */
const joinedInMonth = [20, 24, 30, 34, 40, 48, 54];

/** The demo: 250 users who joined from January to July of the latest year whose July is over. */
export function demoWorld(now: Date, paidDaysAgo = leavesYesterday): World {
  const year = now.getUTCMonth() >= 7 ? now.getUTCFullYear() : now.getUTCFullYear() - 1;
  const months = joinedInMonth.flatMap((count, month) =>
    Array.from({ length: count }, (_, place) => {
      const [start, end] = [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)];
      return new Date(start + Math.floor(((place + 0.5) / count) * (end - start)));
    }),
  );
  return {
    users: months.length,
    now,
    joinedAt: (index) => months[index] ?? now,
    ledger: 'the whole history',
    paidThrough: daysBefore(now, paidDaysAgo),
  };
}

const years = 3 * 365 * dayMs;

/** A given number of users who joined over three years, at an increasing rate. */
export function scaleWorld(users: number, now: Date): World {
  return {
    users,
    now,
    joinedAt: (index) => new Date(now.getTime() - Math.floor((1 - Math.sqrt((index + 1) / (users + 1))) * years)),
    ledger: 'what they have today',
    paidThrough: daysBefore(now, leavesYesterday),
  };
}
