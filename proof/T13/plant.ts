import type { PoolClient } from 'pg';
import type { Fixture } from '../processes/fixture.ts';
import { payloads } from './payloads.ts';

/** The texts that people and platforms write, and JSON with such texts in it. */
const written: Readonly<Record<string, readonly string[]>> = {
  admin: ['username'],
  admin_recovery: ['reason'],
  admin_settings: ['full_name'],
  adjustment: ['reason'],
  api_key: ['name'],
  approval: ['reason', 'payload'],
  audit_entry: ['details'],
  key_reveal: ['reason'],
  platform_event: ['data'],
  platform_user: ['user_id', 'username', 'wallet', 'sol_wallet_address', 'referral_code', 'blacklist_reason'],
  promotion_request: ['reason'],
  rank_change: ['reason'],
  reconciliation_item: ['listed_wallet', 'reference', 'note'],
  referral_finding: ['wallet'],
  run: ['reason', 'why', 'last_error'],
  run_chunk: ['failure'],
  stake: ['stake_id'],
  task: ['title', 'description', 'post_url'],
  ticket: ['type', 'description', 'response', 'username'],
  ticket_reply: ['message', 'sender'],
  webhook_attempt: ['answer', 'error'],
  webhook_endpoint: ['description', 'url'],
  withdrawal: ['wallet', 'reference', 'reason'],
};

/** The names of JSON fields whose values are such texts. Others are codes, and a panel does not know other codes. */
const writtenFields = ['reason', 'username', 'name', 'title', 'description', 'wallet', 'by', 'requestedBy', 'message'];

/** The keys of facts and events whose values are codes or amounts stay as they are. */
const writtenFacts = ['reason', 'wallet', 'user', 'administrator', 'title', 'reference', 'note', 'name'];

/** With this name the browser signs in. */
const kept = 'ines.moreau';

/** Appends a payload to a text, and to each written text of a JSON value. The number decides which payload. */
const functions = `
  create table planted_payload (no integer primary key, payload text not null);
  create function planted(value text, no bigint) returns text language sql stable return (
    select value || ' ' || payload from planted_payload where planted_payload.no = mod(planted.no, 200));
  create function planted_json(value jsonb, no bigint, fields text[], facts text[]) returns jsonb
  language plpgsql stable as $$
  begin
    return case jsonb_typeof(value)
      when 'array' then (select coalesce(jsonb_agg(planted_json(item, no + at, fields, facts) order by at), '[]')
        from jsonb_array_elements(value) with ordinality as element (item, at))
      when 'object' then (select coalesce(jsonb_object_agg(field.key,
          case
            when jsonb_typeof(field.value) = 'string'
              and (field.key = any(fields) or field.key = 'value' and value->>'key' = any(facts))
            then to_jsonb(planted(field.value #>> '{}', no))
            else planted_json(field.value, no, fields, facts)
          end), '{}')
        from jsonb_each(value) as field)
      else value
    end;
  end $$;`;

/** Plants payloads into all texts that somebody wrote. `round` decides which text gets which payload. */
export async function plantPayloads({ pool }: Fixture, round: number) {
  const client = await pool.connect();
  try {
    await client.query(functions);
    await client.query(
      'insert into planted_payload select ordinality - 1, payload from unnest($1::text[]) with ordinality as given (payload)',
      [payloads],
    );
    // The rules about lengths and forms protect the database, while this is about the screens.
    await client.query('set session_replication_role = replica');
    let planted = 0;
    for (const [table, columns] of Object.entries(written)) {
      await dropChecks(client, table);
      for (const [at, column] of columns.entries()) planted += await plantInto(client, { table, column, at, round });
    }
    return planted;
  } finally {
    client.release(true);
  }
}

type Place = { table: string; column: string; at: number; round: number };

async function dropChecks(client: PoolClient, table: string) {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter table %s drop constraint if exists %I cascade', conrelid::regclass, conname) as statement
     from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
    [table],
  );
  for (const { statement } of rows) await client.query(statement);
}

async function plantInto(client: PoolClient, { table, column, at, round }: Place) {
  const { rows } = await client.query<{ type: string }>(
    'select format_type(atttypid, null) as type from pg_attribute where attrelid = $1::regclass and attname = $2',
    [table, column],
  );
  const type = rows[0]?.type;
  if (type === undefined) throw new Error(`There is no column ${table}.${column}.`);
  const isJson = type === 'jsonb' || column === 'details';
  const number = `numbered.no + ${at * 41 + round * 25}`;
  const fields = `array['${writtenFields.join("','")}'], array['${writtenFacts.join("','")}']`;
  const value = isJson
    ? `planted_json(${table}.${column}::jsonb, ${number}, ${fields})::${type}`
    : `planted(${table}.${column}, ${number})`;
  const others = table === 'admin' ? `and username <> '${kept}'` : '';
  const changed = await client.query(`
    with numbered as (select ctid as place, row_number() over () as no from ${table})
    update ${table} set ${column} = ${value} from numbered
    where ${table}.ctid = numbered.place and ${table}.${column} is not null ${others}`);
  return changed.rowCount ?? 0;
}
