-- Columns, tables and functions get the names that the code uses: a run is started, an approval is requested, and a
-- change of settings or limits that waits for approval is a change.
alter table run rename column begun_at to started_at;
alter table run rename column begun_by to started_by;
alter table run rename constraint run_began to run_started;
alter table run rename constraint run_begun_by_fkey to run_started_by_fkey;

alter table approval rename column asked_at to requested_at;
alter table approval rename column asked_by to requested_by;
alter table approval rename constraint approval_asked_by_fkey to approval_requested_by_fkey;

alter table referral_report rename column asked_at to requested_at;
alter table referral_report rename column asked_by to requested_by;
alter table referral_report rename column repair_asked_by to repair_requested_by;
alter table referral_report rename column repair_begun_at to repair_started_at;
alter table referral_report rename constraint referral_report_asked_by_fkey to referral_report_requested_by_fkey;
alter table referral_report
  rename constraint referral_report_repair_asked_by_fkey to referral_report_repair_requested_by_fkey;

alter table job_settings_wish rename to job_settings_change;
alter table job_settings_change rename constraint job_settings_wish_job_check to job_settings_change_job_check;
alter table job_settings_change rename constraint job_settings_wish_pkey to job_settings_change_pkey;
alter table job_settings_change rename constraint job_settings_wish_id_key to job_settings_change_id_key;

alter table approval_limit_wish rename to approval_limit_change;
alter table approval_limit_change
  rename constraint approval_limit_wish_limit_units_check to approval_limit_change_limit_units_check;
alter table approval_limit_change rename constraint approval_limit_wish_pkey to approval_limit_change_pkey;
alter table approval_limit_change rename constraint approval_limit_wish_id_key to approval_limit_change_id_key;

alter table referral_finding rename column people to users;

-- A digest covers the values of a request and not this key, so the digests stay valid. The trigger protects the content
-- of a request from the application; here the content stays the same.
alter table approval disable trigger approval_stays_decided;
update approval set payload = payload - 'person' || jsonb_build_object('userUuid', payload->'person');
alter table approval enable trigger approval_stays_decided;

alter table run_due disable trigger run_due_is_append_only;
alter table run_due drop constraint run_due_outcome_check, drop constraint run_due_check, drop constraint run_due_check1;
update run_due set outcome = 'triggered' where outcome = 'fired';
alter table run_due
  add constraint run_due_outcome_check check (outcome in ('triggered', 'skipped', 'overlapped', 'missed')),
  add constraint run_due_run_check check ((outcome = 'triggered') = (run_id is not null)),
  add constraint run_due_why_check check (outcome = 'triggered' or why is not null);
alter table run_due enable trigger run_due_is_append_only;

alter trigger user_total_begins on platform_user rename to user_total_starts;
alter function user_total_begins() rename to user_total_starts;
alter trigger run_begins_approved on run rename to run_starts_approved;
alter function run_begins_approved() rename to run_starts_approved;

-- The bodies of these functions name the columns, so they are written again. Their rules are unchanged.
create or replace function approval_stays_decided() returns trigger
language plpgsql as $$
begin
  if old.state <> 'waiting' then perform refuse('ApprovalDecided'); end if;
  if (old.kind, old.subject_id, old.payload, old.digest, old.digest_version, old.requested_by, old.requested_at,
      old.expires_at)
    is distinct from (new.kind, new.subject_id, new.payload, new.digest, new.digest_version, new.requested_by,
      new.requested_at, new.expires_at) then
    raise exception 'the content of a request cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;

create or replace function referral_report_stays_found() returns trigger
language plpgsql as $$
begin
  if old.state in ('done', 'failed') and (old.requested_by, old.requested_at, old.state, old.why, old.at, old.users,
      old.found, old.wrong_users, old.wrong_referrals, old.wrong_network, old.wrong_sol, old.wrong_usd, old.digest)
    is distinct from (new.requested_by, new.requested_at, new.state, new.why, new.at, new.users,
      new.found, new.wrong_users, new.wrong_referrals, new.wrong_network, new.wrong_sol, new.wrong_usd, new.digest)
    or old.repaired_at is not null then
    raise exception 'the findings of a report cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;

create or replace function run_starts_approved() returns trigger
language plpgsql as $$
declare
  moves bigint := new.pays + new.sets_aside + new.releases + case when new.reverses is null then 0 else new.returned end;
  may_move bigint;
begin
  if old.started_at is not null then
    if (old.started_at, old.started_by, old.approved_by)
      is distinct from (new.started_at, new.started_by, new.approved_by) then
      raise exception 'the start of a run cannot be changed' using errcode = 'BU002';
    end if;
    return new;
  end if;
  if new.started_at is null then return new; end if;
  -- The amount that a run moves is fixed once it is planned, so a run that was never planned cannot start.
  if new.state <> 'running' or old.plan_hash is null then
    raise exception 'a run starts after it was planned' using errcode = 'BU002';
  end if;
  select limit_units into may_move from approval_limit
  where kind = 'run' and asset = new.asset order by version desc limit 1;
  if moves > coalesce(may_move, 0) and not exists (
    select from approval
    where kind = 'run' and subject_id = new.id and state = 'approved'
      and requested_by = new.started_by and decided_by = new.approved_by
      and payload->'facts' @> jsonb_build_array(case digest_version
        when 1 then jsonb_build_object('name', 'Plan', 'value', new.plan_hash)
        else jsonb_build_object('key', 'planHash', 'value', new.plan_hash)
      end)
  ) then
    perform refuse('RunNeedsApproval');
  end if;
  return new;
end
$$;
