-- An import brings an existing platform into Bursar. The rows of its files are staged here and checked together, and the
-- features that own the tables write them from here. Staged rows need no write-ahead log: if the database crashes, they
-- are staged again from the same files.

create table import (
  id uuid primary key default uuid_v7(),
  -- Name, SHA-256 and number of rows of each file: an interrupted import goes on only with the same files.
  files jsonb not null,
  started_at timestamptz not null default now(),
  stage text not null default 'users' check (stage in ('users', 'money', 'teams', 'tickets', 'report')),
  -- The stage `money` is a transaction for each range of users. All users up to this one are done.
  done_to uuid not null default '00000000-0000-0000-0000-000000000000',
  finished_at timestamptz,
  -- The sums of the files and of the ledger, which are equal.
  report jsonb,
  check ((finished_at is null) = (report is null))
);
comment on table import is 'owner: imports.';
create unique index import_one_at_a_time on import ((true)) where finished_at is null;

-- In every table, `row` is the number of the row in its file, `id` is derived from the name that the platform gave the
-- row, and a value that could not be read is null.
create unlogged table import_user (
  row bigint not null,
  id uuid,
  user_id text,
  username text,
  role user_role,
  wallet text,
  sol_wallet_address text,
  referral_code text,
  sponsor text,
  sponsor_id uuid,
  rank user_rank,
  gmp_shares bigint,
  last_active_on date,
  blacklisted_at timestamptz,
  blacklist_reason text,
  -- Sealed before it is staged.
  sol_private_key bytea,
  created_at timestamptz
);
comment on table import_user is 'owner: imports. Emptied when an import ends.';

create unlogged table import_balance (
  row bigint not null,
  id uuid,
  user_id text,
  owner_id uuid,
  asset asset,
  units bigint
);
comment on table import_balance is 'owner: imports. Emptied when an import ends.';

create unlogged table import_stake (
  row bigint not null,
  id uuid,
  stake_id text,
  user_id text,
  owner_id uuid,
  amount_usd bigint,
  amount_sol bigint,
  days integer,
  daily_rate_ppm integer,
  status stake_status,
  created_at timestamptz,
  ends_on date,
  completed_at timestamptz
);
comment on table import_stake is 'owner: imports. Emptied when an import ends.';

create unlogged table import_withdrawal (
  row bigint not null,
  id uuid,
  withdrawal_id text,
  user_id text,
  owner_id uuid,
  amount_usd bigint,
  wallet text,
  status withdrawal_status,
  created_at timestamptz,
  decided_at timestamptz,
  reason text,
  signature text
);
comment on table import_withdrawal is 'owner: imports. Emptied when an import ends.';

create unlogged table import_ticket (
  row bigint not null,
  id uuid,
  ticket_id text,
  user_id text,
  owner_id uuid,
  subject text,
  description text,
  status ticket_status,
  response text,
  created_at timestamptz
);
comment on table import_ticket is 'owner: imports. Emptied when an import ends.';

create unlogged table import_problem (
  file text not null,
  row bigint not null,
  field text not null,
  code text not null,
  value text
);
comment on table import_problem is 'owner: imports. Emptied before each check of the files.';

-- Only the owner of the tables imports, so no program may write here.
grant select on import to bursar_app, bursar_worker, bursar_auditor;
