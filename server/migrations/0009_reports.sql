create type activity_kind as enum (
  'Login', 'Sign-up', 'Purchases', 'Messages', 'Support',
  'Browsing', 'Checkout', 'Referrals', 'Edits'
);

-- What the platform's users did, counted by the hour: no chart ever reads single events.
create table activity_hour (
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  kind activity_kind not null,
  count bigint not null check (count >= 0),
  primary key (hour, kind)
);
comment on table activity_hour is 'owner: reports.';

create type export_state as enum ('waiting', 'running', 'done', 'failed', 'cancelled');

create table report_export (
  id uuid primary key default uuid_v7(),
  tab text not null check (tab in ('withdrawal', 'staking', 'task')),
  filter jsonb not null,
  requested_by uuid not null references admin,
  state export_state not null default 'waiting',
  rows_done bigint not null default 0,
  rows_total bigint,
  bytes bigint not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  kept_until timestamptz,
  -- How often a worker has begun, how often that came to nothing, and when the one that is at it was last heard of.
  attempt integer not null default 0,
  failures integer not null default 0,
  touched_at timestamptz,
  -- Opens the file once, within a minute.
  key_digest bytea,
  key_until timestamptz
);
comment on table report_export is 'owner: reports.';
create index report_export_by_admin on report_export (requested_by, created_at);
create index report_export_to_delete on report_export (kept_until) where kept_until is not null;

-- Spreadsheets take a cell for a formula by how it begins, and some pass over blanks and invisible characters first.
-- An apostrophe in front makes it text; panel/src/reports/csv.ts has the same rule.
create function csv_text(cell text) returns text
language sql immutable parallel safe as $$
  select case
    when cell ~ '^([\t\r\n]|[\t-\r \u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]*[=+@\uff1d\uff0b\uff0d\uff20-])'
    then '''' || cell
    else cell
  end
$$;

grant select on activity_hour to bursar_app;
grant select, insert, update on activity_hour to bursar_worker;
grant select, insert, update on report_export to bursar_app;
grant select, update, delete on report_export to bursar_worker;
grant select on activity_hour, report_export to bursar_auditor;
