import { type AuditFilter, systemCaller } from 'contract/audit-filter.ts';
import { countedAtMost } from 'contract/core/paging.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Db, runQuery } from '#server/core/db/db.ts';
import { type List, listPage } from '#server/core/db/list.ts';

type Condition = RawBuilder<boolean>;

export type EntryRow = {
  id: bigint;
  at: Date;
  actor: string | null;
  apiKey: string | null;
  caller: string | null;
  action: string;
  subject: string | null;
  subjectName: string | null;
  details: string;
};

type Query = AuditFilter & { cursor?: string | undefined; limit: number };

// The same expressions as in the indexes, so that the planner uses them.
const caller = sql`coalesce(item.actor_id, item.api_key_id)`;
const feature = sql`split_part(item.action, '.', 1)`;

/** Only for subjects that are the uuid of a user or an administrator. */
const subjectName = sql`case
  when item.subject_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then null
  else coalesce(
    (select username from platform_user where id = item.subject_id::uuid),
    (select username from admin where id = item.subject_id::uuid))
  end`;

const columns = sql`item.at, admin.username as actor, api_key.name as "apiKey", ${caller} as caller, item.action,
  item.subject_id as subject, ${subjectName} as "subjectName", item.details`;

const joins = sql`left join admin on admin.id = item.actor_id left join api_key on api_key.id = item.api_key_id`;

/** Equality conditions. Each is served by an index that starts with its column, followed by the order of the list. */
function equalTo({ caller: wanted, feature: named, action, subject }: AuditFilter): Condition[] {
  return [
    ...(wanted === undefined ? [] : [isCaller(wanted)]),
    ...(named === undefined || action !== undefined ? [] : [sql<boolean>`${feature} = ${named}`]),
    ...(action === undefined ? [] : [sql<boolean>`item.action = ${action}`]),
    ...(subject === undefined ? [] : [sql<boolean>`item.subject_id = ${subject}`]),
  ];
}

const isCaller = (wanted: string) =>
  wanted === systemCaller ? sql<boolean>`${caller} is null` : sql<boolean>`${caller} = ${wanted}::uuid`;

const within = ({ from, to }: AuditFilter): Condition[] => [
  ...(from === undefined ? [] : [sql<boolean>`item.at >= ${from}::date::timestamp at time zone 'UTC'`]),
  ...(to === undefined ? [] : [sql<boolean>`item.at < (${to}::date + 1)::timestamp at time zone 'UTC'`]),
];

const everyEntry = sql`(select seq as id, * from audit_entry)`;

/**
 * A subject has few rows, so they are all read before any other condition. The planner would otherwise sometimes scan
 * the rows of a caller or an action for those of the subject.
 */
const entriesAbout = (subject: string) =>
  sql`(select seq as id, * from audit_entry where subject_id = ${subject} offset 0)`;

/** An action belongs to one feature, so a feature beside another one's action matches nothing. */
const isContradiction = ({ feature: named, action }: AuditFilter) =>
  named !== undefined && action !== undefined && !action.startsWith(`${named}.`);

/** Returns the rows and conditions of a list for a filter. */
function found(filter: AuditFilter): Pick<List, 'rows' | 'searchFilter'> {
  const { subject } = filter;
  const conditions = [...equalTo(filter), ...within(filter), ...(isContradiction(filter) ? [sql<boolean>`false`] : [])];
  const isCombined = subject !== undefined && equalTo(filter).length > 1;
  return {
    rows: isCombined ? entriesAbout(subject) : everyEntry,
    // Every index of the list ends with its order, so a scan reaches these rows directly and counts them up to the limit.
    searchFilter: conditions.length > 0 ? { scan: allOf(conditions) } : undefined,
  };
}

export function entryList(db: Db, { cursor, limit, ...filter }: Query): List {
  return {
    ...found(filter),
    columns,
    joins,
    order: { sort: '-at', column: 'at', type: 'timestamptz', descending: true, id: 'bigint' },
    where: [],
    countAll: () => countAll(db),
    cursor,
    limit,
  };
}

export const selectEntries = (db: Db, query: Query) => listPage<EntryRow>(db, entryList(db, query));

/** The log has no gaps, so the number of its newest row is the number of its rows. */
async function countAll(db: Db) {
  const [last] = await runQuery<{ count: bigint }>(
    db,
    sql`select coalesce(max(seq), 0)::bigint as count from audit_entry`,
  );
  return Number(last?.count ?? 0n);
}

export async function selectEntry(db: Db, id: string) {
  const [entry] = await runQuery<EntryRow>(
    db,
    sql`select item.id, ${columns} from ${everyEntry} as item ${joins} where item.id = ${id}::bigint`,
  );
  return entry;
}

export async function selectCallers(db: Db) {
  return runQuery<{ id: string; name: string; isKey: boolean }>(
    db,
    sql`select id, username as name, false as "isKey" from admin
      union all
      select id, name, true from api_key
      order by "isKey", name, id
      limit ${countedAtMost}`,
  );
}

/** Skips from each action to the next in the index, so the cost grows with the number of actions and not of rows. */
export async function selectActions(db: Db) {
  const rows = await runQuery<{ action: string }>(
    db,
    sql`
    with recursive skip as (
      (select action from audit_entry order by action limit 1)
      union all
      select (select action from audit_entry where action > skip.action order by action limit 1)
      from skip where skip.action is not null
    )
    select action from skip where action is not null`,
  );
  return rows.map(({ action }) => action);
}

const allOf = (conditions: Condition[]) => sql<boolean>`${sql.join(conditions, sql` and `)}`;

/** Returns the head line of a file of audit rows and the query for its rows, in the order of the list. */
export function writtenEntries(filter: AuditFilter) {
  const { rows, searchFilter } = found(filter);
  return {
    head: 'Row,At,By,Action,Item,Details',
    quoted: ['by', 'action', 'item', 'details'],
    query: sql`
      select item.id, to_char(item.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
        csv_text(coalesce(admin.username, api_key.name, 'the system')) as by, item.action,
        csv_text(coalesce(item.subject_id, '')) as item, csv_text(item.details) as details
      from ${rows} as item ${joins} where ${searchFilter?.scan ?? sql`true`} order by item.at desc, item.id desc`,
  };
}
