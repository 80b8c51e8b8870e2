import type { World } from './world.ts';

/** What somebody tries who has stolen the database login of a process, in one transaction. */
export type Attempt = {
  /** The first column of the table: what it would give them. */
  aim: string;
  what: string;
  statements: string[];
  /** Harmless by design where the database allows it, with the reason. */
  harmless?: string;
};

type Decided = { kind: string; subject: string; units?: string; rule?: string };

/** A request that somebody else made and yet another administrator approved, both only in the database. */
export function forgedDecision({ ann, ben }: World, { kind, subject, units = 'null', rule = 'second' }: Decided) {
  const asset = units === 'null' ? 'null' : `'USD'`;
  return [
    `insert into approval (kind, subject_id, payload, digest, requested_by, expires_at, asset, units)
      values ('${kind}', '${subject}', '{"facts": []}', '', '${ann}', now() + interval '1 hour', ${asset}, ${units})`,
    `update approval set state = 'approved', rule = '${rule}', decided_by = '${ben}', decided_at = now()
      where subject_id = '${subject}' and kind::text = '${kind}' and state = 'waiting'`,
  ];
}

type Paid = { cause: string; user: string; part?: number };

export const transfer = (kind: string, { cause, user, part = 0 }: Paid, [debit, credit]: readonly [string, string]) =>
  `insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    values (current_date, '${kind}', '${cause}', ${part}, '${user}', 'USD', '${debit}', '${credit}', 5000000)`;
