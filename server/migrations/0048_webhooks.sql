-- What happened on the platform, for receivers outside: written in the transaction that causes it, and sent to the
-- webhooks afterwards.
create table platform_event (
  id uuid primary key default uuid_v7(),
  -- The place in the order in which the transactions commit. Null until then.
  seq bigint unique,
  type text not null check (length(type) between 1 and 64),
  subject_id text not null check (length(subject_id) between 1 and 100),
  data jsonb not null,
  at timestamptz not null default clock_timestamp()
);
comment on table platform_event is 'owner: outbox. Append-only; a job deletes old rows.';
create index platform_event_by_at on platform_event (at);
create sequence platform_event_seq;

-- A reader who has seen one number must never miss a smaller one that becomes visible later. So the number is taken
-- under a lock when the transaction commits, and nobody takes the next one before it has. A deferred trigger runs after
-- everything else, so the lock is held only for the commit itself, and no other lock is waited for under it.
create function number_platform_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtext('outbox'));
  update public.platform_event set seq = nextval('public.platform_event_seq') where id = new.id;
  return null;
end
$$;
revoke execute on function number_platform_event from public;
create constraint trigger number_platform_event after insert on platform_event
deferrable initially deferred for each row execute function number_platform_event();

grant select on platform_event to bursar_app, bursar_worker, bursar_auditor;
-- The number is not among the columns: only the trigger assigns it.
grant insert (type, subject_id, data) on platform_event to bursar_app, bursar_worker;
grant delete on platform_event to bursar_worker;
grant select on platform_event_seq to bursar_app, bursar_worker;

create table webhook_endpoint (
  id uuid primary key default uuid_v7(),
  url text not null check (length(url) between 1 and 2000),
  description text not null check (length(description) <= 200),
  -- Null: all types.
  types text[] check (cardinality(types) > 0),
  state text not null default 'active' check (state in ('active', 'paused', 'removed')),
  paused_reason text check (paused_reason in ('manual', 'failing')),
  version integer not null default 1,
  created_by uuid not null references admin,
  created_at timestamptz not null default now(),
  -- A delivery exists for each event up to this number. Going back replays what follows.
  dispatched_seq bigint not null,
  -- The first failed attempt since the last one that succeeded.
  failing_since timestamptz,
  -- When a task to send was last enqueued; null once it has started.
  queued_at timestamptz,
  -- The task that sends at the moment, so that no two do. It renews the lease before each batch.
  lease uuid,
  leased_until timestamptz,
  check ((state = 'paused') = (paused_reason is not null)),
  check ((lease is null) = (leased_until is null))
);
comment on table webhook_endpoint is 'owner: integrations. Removed, never deleted: audit rows refer to it.';

create table webhook_secret (
  id uuid primary key,
  endpoint_id uuid not null references webhook_endpoint,
  sealed bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Null for the newest one.
  expires_at timestamptz
);
comment on table webhook_secret is 'owner: integrations. Encrypted with a key outside the database.';
create index webhook_secret_by_endpoint on webhook_secret (endpoint_id, created_at);

create table webhook_delivery (
  id uuid primary key default uuid_v7(),
  endpoint_id uuid not null references webhook_endpoint,
  event_seq bigint not null references platform_event (seq) on delete cascade,
  type text not null,
  subject_id text not null,
  -- Failed: given up after the last attempt, and only sent again by hand.
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  -- How often it was tried since it became pending.
  attempts integer not null default 0,
  -- Null while an earlier event of the subject is pending.
  due_at timestamptz,
  delivered_at timestamptz,
  unique (event_seq, endpoint_id),
  check (due_at is null or state = 'pending'),
  check ((state = 'delivered') = (delivered_at is not null))
);
comment on table webhook_delivery is 'owner: integrations.';
create index webhook_delivery_by_endpoint on webhook_delivery (endpoint_id, event_seq);
create index webhook_delivery_by_state on webhook_delivery (endpoint_id, state, event_seq);
create index webhook_delivery_due on webhook_delivery (endpoint_id, due_at) where due_at is not null;
create index webhook_delivery_pending on webhook_delivery (endpoint_id, subject_id, event_seq) where state = 'pending';

create table webhook_attempt (
  delivery_id uuid not null references webhook_delivery on delete cascade,
  no integer not null check (no > 0),
  at timestamptz not null,
  duration_ms integer not null check (duration_ms >= 0),
  request_headers jsonb not null,
  body_digest text not null,
  -- Null if there was no complete answer; then the error says why.
  status integer,
  answer text check (length(answer) <= 2048),
  error text,
  primary key (delivery_id, no)
);
comment on table webhook_attempt is 'owner: integrations. Append-only.';

grant select, insert, update on webhook_endpoint to bursar_app;
grant select, update on webhook_endpoint to bursar_worker;
grant select, insert, delete on webhook_secret to bursar_app;
grant update (expires_at) on webhook_secret to bursar_app;
grant select on webhook_secret to bursar_worker;
grant select, update on webhook_delivery to bursar_app;
grant select, insert, update on webhook_delivery to bursar_worker;
grant select on webhook_attempt to bursar_app;
grant select, insert on webhook_attempt to bursar_worker;
grant select on webhook_endpoint, webhook_delivery, webhook_attempt to bursar_auditor;
