-- A payment uses the rules and the facts of the day that is paid, no matter when it is planned.

-- Rates have steps of 0.0001 percentage points, which are parts per million.
alter table stake_plan drop constraint stake_plan_daily_rate_bp_check;
alter table stake_plan alter column daily_rate_bp type integer using daily_rate_bp * 100;
alter table stake_plan rename column daily_rate_bp to daily_rate_ppm;
alter table stake_plan rename constraint stake_plan_days_daily_rate_bp_key to stake_plan_days_daily_rate_ppm_key;
alter table stake_plan add constraint stake_plan_daily_rate_ppm_check check (daily_rate_ppm between 0 and 1000000);
comment on column stake_plan.daily_rate_ppm is 'Parts per million: 1500 is 0.15 percent a day.';
alter table stake alter column daily_rate_bp type integer using daily_rate_bp * 100;
alter table stake rename column daily_rate_bp to daily_rate_ppm;
alter table run_line alter column rate_bp type integer using rate_bp * 100;
alter table run_line rename column rate_bp to rate_ppm;

create or replace function stake_stays_agreed() returns trigger
language plpgsql as $$
begin
  if (old.id, old.user_id, old.amount_usd, old.days, old.daily_rate_ppm, old.created_at, old.ends_on)
    is distinct from (new.id, new.user_id, new.amount_usd, new.days, new.daily_rate_ppm, new.created_at, new.ends_on) then
    raise exception 'a stake stays what was agreed' using errcode = 'BU002';
  end if;
  return new;
end
$$;

-- Rounds down. The share is parts per million times basis points, at most 10^10. Multiplying it with all units would
-- overflow, so the units are multiplied in three pieces, and no intermediate value exceeds the units or 10^16.
create or replace function share_of(units bigint, share bigint) returns bigint
language sql immutable parallel safe
return units / 10000000000 * share
  + (units % 10000000000 / 100000 * share + units % 100000 * share / 100000) / 100000;

-- A version applies from the time it takes effect until a higher version does.
alter table job_settings add column effective_from timestamptz;
alter table job_settings disable trigger user;
update job_settings set effective_from = case when version = 1 then '1970-01-01 00:00Z' else coalesce(
  (
    -- Until now a payout used the newest version, so a version applied to the first day that was not yet paid.
    select least(coalesce(max(run.day) + 1, '1970-01-01'), (job_settings.saved_at at time zone 'UTC')::date)::timestamp
      at time zone 'UTC'
    from run where run.kind = 'stake-payout' and run.reverses is null and run.started_at < job_settings.saved_at
    having job_settings.job = 'stake-payout'
  ), job_settings.saved_at) end;
alter table job_settings enable trigger user;
alter table job_settings alter column effective_from set not null;
comment on table job_settings is
  'owner: jobs. Append-only. The highest version that has taken effect at a time applies at that time.';

create function settings_in_effect(of_job text, at timestamptz) returns setof job_settings
language sql stable parallel safe
begin atomic
  select * from job_settings where job = of_job and effective_from < at order by version desc limit 1;
end;

-- Without a day, a change takes effect with the next day that is not yet paid, or at once if it is not about days.
alter table job_settings_change add column effective_from date;

-- The time whose rules and facts a run uses. The lines of a run that reverses another one come from that run.
alter table run add column as_of timestamptz;
alter table run disable trigger user;
update run set as_of = case kind
  when 'stake-payout' then (day + 1)::timestamp at time zone 'UTC'
  else created_at end;
alter table run enable trigger user;
alter table run alter column as_of set not null;

create or replace function run_stays_planned() returns trigger
language plpgsql as $$
begin
  if old.state >= 'completed' then perform refuse('RunOver'); end if;
  if (old.id, old.kind, old.period, old.day, old.part, old.asset, old.settings, old.settings_version, old.as_of,
      old.reverses, old.reason, old.planned_by, old.created_at)
    is distinct from (new.id, new.kind, new.period, new.day, new.part, new.asset, new.settings, new.settings_version,
      new.as_of, new.reverses, new.reason, new.planned_by, new.created_at)
    or old.plan_hash is not null
    and (old.plan_hash, old.inputs, old.planned_at, old.lines, old.skipped, old.budget, old.pays, old.sets_aside,
      old.keeps, old.releases, old.returned, old.skips)
    is distinct from (new.plan_hash, new.inputs, new.planned_at, new.lines, new.skipped, new.budget, new.pays,
      new.sets_aside, new.keeps, new.releases, new.returned, new.skips)
    or old.plan_hash is not null and new.state = 'planning' then
    raise exception 'a plan cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;

-- The first stake of a user was placed before the period of a referral check, and no earlier check looked at it.
alter type skip_reason add value 'late';
