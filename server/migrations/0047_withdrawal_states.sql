-- Approve said "Completed" although nobody had sent anything. A withdrawal now has a state that ends with money having
-- arrived or not, and its status is derived from the state.
create type withdrawal_state as enum ('requested', 'approved', 'sent', 'unknown', 'confirmed', 'failed', 'rejected');
create type withdrawal_mode as enum ('manual', 'platform');
create type settlement_source as enum ('administrator', 'platform', 'clock');

drop trigger withdrawal_is_decided on withdrawal;
drop index withdrawal_by_status_created, withdrawal_by_status_amount, withdrawal_reported;
alter table withdrawal
  drop constraint withdrawal_check,
  drop constraint withdrawal_check1,
  alter column status drop default;
alter table withdrawal alter column status type withdrawal_state using
  case status when 'Completed' then 'confirmed' when 'Failed' then 'rejected' else 'requested' end::withdrawal_state;
alter table withdrawal rename column status to state;
alter table withdrawal rename column signature to reference;
alter table withdrawal
  alter column state set default 'requested',
  add column status withdrawal_status not null generated always as (
    case
      when state = 'confirmed' then 'Completed'::withdrawal_status
      when state in ('failed', 'rejected') then 'Failed'
      else 'Pending'
    end
  ) stored,
  -- Who was to send it, by the setting at the time of the approval. Null for withdrawals decided before there were modes.
  add column mode withdrawal_mode,
  add column asked_at timestamptz,
  add column sent_at timestamptz,
  add column sent_by uuid references admin,
  add column sent_source settlement_source,
  add column unknown_at timestamptz,
  add column unknown_by uuid references admin,
  add column unknown_source settlement_source,
  -- Null for withdrawals that were completed before outcomes were recorded.
  add column settled_at timestamptz,
  add column settled_by uuid references admin,
  add column settled_source settlement_source,
  -- Who requested the second approval of a failure.
  add column failure_requested_by uuid references admin;

-- A reference names one payment. Where one was given twice, the later withdrawals keep it with their id behind it.
alter table withdrawal disable trigger withdrawal_stays_decided;
update withdrawal set reference = left(reference, 160) || ' ' || id
where reference is not null and exists (
  select from withdrawal as earlier
  where earlier.reference = withdrawal.reference and (earlier.created_at, earlier.id) < (withdrawal.created_at, withdrawal.id)
);
alter table withdrawal enable trigger withdrawal_stays_decided;

alter table withdrawal
  add constraint withdrawal_decided_check check ((state = 'requested') = (decided_at is null)),
  add constraint withdrawal_reason_check check (state not in ('failed', 'rejected') or reason is not null),
  add constraint withdrawal_reference_check check (length(reference) between 1 and 200),
  add constraint withdrawal_sent_check check (
    (sent_at is null) = (sent_source is null) and (state <> 'sent' or sent_at is not null)
    and (sent_at is null or reference is not null)
  ),
  add constraint withdrawal_unknown_check check (
    (unknown_at is null) = (unknown_source is null) and (state <> 'unknown' or unknown_at is not null)
  ),
  add constraint withdrawal_settled_check check (
    (settled_at is null) = (settled_source is null)
    and (settled_at is null or state in ('confirmed', 'failed') and settled_source <> 'clock')
    and (state <> 'failed' or settled_at is not null)
    and (state <> 'confirmed' or settled_at is null or reference is not null)
  ),
  add constraint withdrawal_source_check check (
    (sent_by is null or sent_source = 'administrator') and (unknown_by is null or unknown_source = 'administrator')
    and (settled_by is null or settled_source = 'administrator')
  );
create index withdrawal_by_status_created on withdrawal (status, created_at, id);
create index withdrawal_by_status_amount on withdrawal (status, amount_usd, id);
create index withdrawal_reported on withdrawal (created_at, id) where status <> 'Failed';
create unique index withdrawal_reference on withdrawal (reference) where reference is not null;
-- Few at any time: every approved withdrawal leaves these states within days.
create index withdrawal_open on withdrawal (state, created_at, id) where state in ('approved', 'sent', 'unknown');
-- What left in a period, for the reconciliation.
create index withdrawal_by_sent on withdrawal ((coalesce(sent_at, settled_at)))
where state in ('sent', 'unknown', 'confirmed') and (sent_at is not null or settled_at is not null);

-- The transitions of a withdrawal's state, the same as withdrawalTransitions (contract/src/withdrawal-states.ts); a test
-- compares them. Without from_state: the state of a new withdrawal.
create table withdrawal_transition (
  from_state withdrawal_state,
  to_state withdrawal_state not null,
  unique nulls not distinct (from_state, to_state)
);
comment on table withdrawal_transition is 'owner: withdrawals. Only migrations change it.';
insert into withdrawal_transition (from_state, to_state) values
  (null, 'requested'),
  ('requested', 'approved'), ('requested', 'confirmed'), ('requested', 'rejected'),
  ('approved', 'sent'), ('approved', 'unknown'), ('approved', 'confirmed'), ('approved', 'failed'),
  ('sent', 'unknown'), ('sent', 'confirmed'), ('sent', 'failed'),
  ('unknown', 'confirmed'), ('unknown', 'failed');

create or replace function withdrawal_stays_decided() returns trigger
language plpgsql as $$
begin
  if not exists (select from withdrawal_transition where from_state = old.state) then
    perform refuse('WithdrawalSettled');
  end if;
  if (old.id, old.user_id, old.amount_usd, old.wallet, old.created_at)
    is distinct from (new.id, new.user_id, new.amount_usd, new.wallet, new.created_at) then
    raise exception 'the content of a request cannot be changed' using errcode = 'BU002';
  end if;
  if old.decided_at is not null
    and (old.decided_at, old.decided_by, old.prepared_by, old.mode)
      is distinct from (new.decided_at, new.decided_by, new.prepared_by, new.mode) then
    raise exception 'a decision cannot be changed' using errcode = 'BU002';
  end if;
  if old.sent_at is not null
    and (old.sent_at, old.sent_by, old.sent_source, old.reference)
      is distinct from (new.sent_at, new.sent_by, new.sent_source, new.reference) then
    raise exception 'what was sent cannot be changed' using errcode = 'BU002';
  end if;
  -- Whoever sends is asked once, and not after something else may have happened.
  if old.asked_at is distinct from new.asked_at and (old.asked_at is not null or new.state <> 'approved') then
    raise exception 'a withdrawal is sent once' using errcode = 'BU002';
  end if;
  return new;
end
$$;

create function withdrawal_transition_is_known() returns trigger
language plpgsql as $$
begin
  if not exists (select from withdrawal_transition where from_state = old.state and to_state = new.state) then
    raise exception 'a withdrawal cannot become % from %', new.state, old.state using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger withdrawal_transition_is_known before update of state on withdrawal
for each row when (old.state is distinct from new.state) execute function withdrawal_transition_is_known();

-- Approving is decided, and so is returning the money of a withdrawal that may have been sent.
create or replace function withdrawal_is_decided() returns trigger
language plpgsql as $$
begin
  if old.state = 'requested' and new.state <> 'rejected' then
    perform assert_decided('withdrawal', new.id, new.amount_usd);
    if new.mode is null then
      raise exception 'an approved withdrawal says who sends it' using errcode = 'BU002';
    end if;
  end if;
  if new.state = 'failed' and new.settled_source = 'administrator'
    and (old.state <> 'approved' or old.asked_at is not null)
    and not exists (
      select from approval
      where kind = 'withdrawal' and subject_id = new.id and state = 'approved' and decided_at = now()
        and units = new.amount_usd and rule in ('second', 'single')
    ) then
    perform refuse('NotDecided');
  end if;
  if new.state = 'confirmed' and new.settled_at is null then
    raise exception 'a confirmed withdrawal says who confirmed it' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger withdrawal_is_decided before update of state on withdrawal
for each row when (old.state is distinct from new.state) execute function withdrawal_is_decided();

-- Programs add withdrawals as requested and in no other state.
revoke insert on withdrawal from bursar_app;
grant insert (id, user_id, amount_usd, wallet, created_at, balance_usd, gmp_shares, prev_slx, slx_points)
  on withdrawal to bursar_app;
grant update (state, unknown_at, unknown_source) on withdrawal to bursar_worker;
grant select on withdrawal_transition to bursar_app, bursar_worker, bursar_auditor;

create table withdrawal_settings (
  version integer primary key check (version >= 1),
  mode withdrawal_mode not null,
  unknown_after_hours integer not null check (unknown_after_hours between 1 and 720),
  saved_by uuid references admin,
  approved_by uuid references admin,
  saved_at timestamptz not null default now()
);
comment on table withdrawal_settings is 'owner: withdrawals. Append-only; the highest version is in force.';
create trigger withdrawal_settings_are_append_only before update or delete or truncate on withdrawal_settings
for each statement execute function stop_rewriting();
insert into withdrawal_settings (version, mode, unknown_after_hours) values (1, 'manual', 24);

create table withdrawal_settings_change (
  single boolean primary key default true check (single),
  id uuid not null unique default uuid_v7(),
  -- The version that its author saw.
  version integer not null,
  mode withdrawal_mode not null,
  unknown_after_hours integer not null
);
comment on table withdrawal_settings_change is 'owner: withdrawals. What was last requested.';

create function withdrawal_settings_are_decided() returns trigger
language plpgsql as $$
begin
  if not exists (
    select from approval join withdrawal_settings_change as change on change.id = approval.subject_id
    where approval.kind = 'settings' and approval.state = 'approved' and approval.decided_at = now()
  ) then
    perform refuse('NotDecided');
  end if;
  return new;
end
$$;
create trigger withdrawal_settings_are_decided before insert on withdrawal_settings
for each row execute function withdrawal_settings_are_decided();

grant select, insert on withdrawal_settings to bursar_app;
grant select, insert, update on withdrawal_settings_change to bursar_app;
grant select on withdrawal_settings to bursar_worker;
grant select on withdrawal_settings, withdrawal_settings_change to bursar_auditor;

-- A list of what really left, compared with ours.
create table reconciliation (
  id uuid primary key default uuid_v7(),
  made_by uuid not null references admin,
  made_at timestamptz not null default now(),
  from_day date not null,
  to_day date not null,
  -- SHA-256 of the list, so that the same list is compared once.
  digest text not null unique,
  listed integer not null,
  matched integer not null,
  check (from_day <= to_day)
);
comment on table reconciliation is 'owner: withdrawals. Append-only.';
create trigger reconciliation_is_append_only before update or delete or truncate on reconciliation
for each statement execute function stop_rewriting();

create type reconciliation_kind as enum ('missing', 'unexpected', 'amount', 'wallet');
create table reconciliation_item (
  id uuid primary key default uuid_v7(),
  reconciliation_id uuid not null references reconciliation,
  kind reconciliation_kind not null,
  -- Ours; null if none has this reference.
  withdrawal_id uuid references withdrawal,
  reference text,
  -- What the list says; null for a withdrawal that is missing from it.
  listed_usd bigint,
  listed_wallet text,
  listed_at timestamptz,
  closed_at timestamptz,
  closed_by uuid references admin,
  note text check (length(note) between 1 and 500),
  check ((kind = 'missing') = (listed_usd is null)),
  check ((closed_at is null) = (closed_by is null) and (closed_at is null) = (note is null))
);
comment on table reconciliation_item is 'owner: withdrawals. One row for each difference; closed once.';
create index reconciliation_item_open on reconciliation_item (id) where closed_at is null;
create index reconciliation_item_of on reconciliation_item (reconciliation_id, id);

create function reconciliation_item_stays() returns trigger
language plpgsql as $$
begin
  if old.closed_at is not null then perform refuse('DifferenceClosed'); end if;
  if (old.id, old.reconciliation_id, old.kind, old.withdrawal_id, old.reference, old.listed_usd, old.listed_wallet,
      old.listed_at)
    is distinct from (new.id, new.reconciliation_id, new.kind, new.withdrawal_id, new.reference, new.listed_usd,
      new.listed_wallet, new.listed_at) then
    raise exception 'a difference cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger reconciliation_item_stays before update on reconciliation_item
for each row execute function reconciliation_item_stays();
create trigger reconciliation_item_is_never_deleted before delete or truncate on reconciliation_item
for each statement execute function stop_rewriting();

grant select, insert on reconciliation to bursar_app;
grant select, insert on reconciliation_item to bursar_app;
grant update (closed_at, closed_by, note) on reconciliation_item to bursar_app;
grant select on reconciliation, reconciliation_item to bursar_auditor;
