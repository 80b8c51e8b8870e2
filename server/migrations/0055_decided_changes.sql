-- What needs a second approver is refused without one, whoever sends the SQL with the login of a process: limits,
-- settings, plans, ranks and the rights of administrators, as payments and runs already are. The owner of the tables is
-- not bound: imports, demo data and the command line of the server write as the owner.
create function is_owner(table_id oid) returns boolean
language sql stable
return pg_has_role(current_user, (select relowner from pg_class where oid = table_id), 'USAGE');

-- Whether the subject was decided in this transaction by somebody else, or by the single administrator.
create function is_decided_now(kind approval_kind, subject uuid) returns boolean
language sql stable
return exists (
  select from approval
  where approval.kind = $1 and subject_id = subject and state = 'approved' and decided_at = now()
    and rule in ('second', 'single')
);

create function approval_limit_is_decided() returns trigger
language plpgsql as $$
begin
  if is_owner(tg_relid) then return new; end if;
  if not exists (
    select from approval join approval_limit_change as change on change.id = approval.subject_id
    where approval.kind = 'limit' and approval.state = 'approved' and approval.decided_at = now()
      and approval.rule in ('second', 'single')
      and (approval.requested_by, approval.decided_by) is not distinct from (new.saved_by, new.approved_by)
      and (change.kind, change.asset, change.limit_units, change.version + 1)
        = (new.kind, new.asset, new.limit_units, new.version)
  ) then
    perform refuse('NotDecided');
  end if;
  return new;
end
$$;
create trigger approval_limit_is_decided before insert on approval_limit
for each row execute function approval_limit_is_decided();

-- The settings of contract/src/job-kinds.ts that decide what is paid; a test compares them.
create table reward_setting (
  job text not null,
  -- A nested setting has the names of its parents before it.
  path text[] not null,
  primary key (job, path)
);
comment on table reward_setting is 'owner: jobs. Only migrations change it.';
insert into reward_setting (job, path) values
  ('stake-payout', '{baseReward}'), ('stake-payout', '{bonusReward}'), ('stake-payout', '{loyaltyReward}'),
  ('gmp-distro', '{amount}'), ('gmp-distro', '{percentage}'), ('gmp-distro', '{frequency}'), ('gmp-distro', '{weekday}'),
  ('gmp-distro', '{utcOffset}'),
  ('referral-check', '{period}'), ('referral-check', '{reward}'),
  ('rank-bonus', '{rank}'), ('rank-bonus', '{bonusAmount}'),
  ('rank-promotion', '{Silver,referrals}'), ('rank-promotion', '{Silver,volume}'),
  ('rank-promotion', '{Gold,referrals}'), ('rank-promotion', '{Gold,volume}'),
  ('rank-promotion', '{Platinum,referrals}'), ('rank-promotion', '{Platinum,volume}');
grant select on reward_setting to bursar_app, bursar_worker, bursar_auditor;

-- Whether the second settings pay like the first, and switch no schedule on.
create function pays_alike(of_job text, before jsonb, after jsonb) returns boolean
language sql stable
return not (coalesce(after->>'enabled', '') = 'true' and coalesce(before->>'enabled', '') <> 'true')
  and not exists (
    select from reward_setting
    where job = of_job and (before #> reward_setting.path) is distinct from (after #> reward_setting.path)
  );

-- A version without a decision pays like the one that it replaces at the time from which it applies.
create function job_settings_are_decided() returns trigger
language plpgsql as $$
begin
  if is_owner(tg_relid) then return new; end if;
  if new.approved_by is null and (
    exists (
      select from (
        select settings from job_settings where job = new.job and effective_from <= new.effective_from
        order by version desc limit 1
      ) as replaced where pays_alike(new.job, replaced.settings, new.settings)
    ) or exists (
      select from (
        select settings from job_settings where job = new.job and effective_from = new.effective_from
        order by version desc limit 1
      ) as replaced where pays_alike(new.job, replaced.settings, new.settings)
    )
  ) then
    return new;
  end if;
  if not exists (
    select from approval join job_settings_change as change on change.id = approval.subject_id
    where approval.kind = 'settings' and approval.state = 'approved' and approval.decided_at = now()
      and approval.rule in ('second', 'single')
      and (approval.requested_by, approval.decided_by) is not distinct from (new.saved_by, new.approved_by)
      and (change.job, change.settings, change.version + 1) = (new.job, new.settings, new.version)
  ) then
    perform refuse('NotDecided');
  end if;
  return new;
end
$$;
create trigger job_settings_are_decided before insert on job_settings
for each row execute function job_settings_are_decided();

create function stake_plan_is_decided() returns trigger
language plpgsql as $$
begin
  if not is_owner(tg_relid) and not is_decided_now('plan', new.id) then perform refuse('NotDecided'); end if;
  return new;
end
$$;
create trigger stake_plan_starts_unoffered before insert on stake_plan
for each row when (new.offered) execute function stake_plan_is_decided();
create trigger stake_plan_is_decided before update on stake_plan
for each row when (new.offered and not old.offered) execute function stake_plan_is_decided();
revoke update on stake_plan from bursar_app;
grant update (offered) on stake_plan to bursar_app;

-- A new stake earns what an offered plan pays.
create function stake_has_its_plan() returns trigger
language plpgsql as $$
begin
  if not is_owner(tg_relid) and exists (
    select from added left join stake_plan as plan
      on plan.id = added.plan_id and plan.offered and (plan.days, plan.daily_rate_ppm) = (added.days, added.daily_rate_ppm)
    where plan.id is null
  ) then
    perform refuse('NotDecided');
  end if;
  return null;
end
$$;
create trigger stake_has_its_plan after insert on stake
referencing new table as added for each statement execute function stake_has_its_plan();

create function is_promoted_now(user_id uuid, rank user_rank) returns boolean
language sql stable
return exists (
  select from approval join promotion_request as promotion on promotion.id = approval.subject_id
  where approval.kind = 'promotion' and approval.state = 'approved' and approval.decided_at = now()
    and approval.rule in ('second', 'single')
    and promotion.moves @> jsonb_build_array(jsonb_build_object('user', user_id, 'to', rank))
);

create function rank_is_decided() returns trigger
language plpgsql as $$
begin
  if not is_owner(tg_relid) and not is_promoted_now(new.id, new.rank) then perform refuse('NotDecided'); end if;
  return new;
end
$$;
create trigger rank_starts_at_none before insert on platform_user
for each row when (new.rank <> 'none') execute function rank_is_decided();
create trigger rank_is_decided before update of rank on platform_user
for each row when (old.rank is distinct from new.rank) execute function rank_is_decided();

-- The rank at an earlier time is read from these rows.
create function rank_change_is_decided() returns trigger
language plpgsql as $$
begin
  if not is_owner(tg_relid) and (new.made_at <> now() or not is_promoted_now(new.user_id, new.to_rank)) then
    perform refuse('NotDecided');
  end if;
  return new;
end
$$;
create trigger rank_change_is_decided before insert on rank_change
for each row execute function rank_change_is_decided();

-- Only the first administrator is a SuperAdmin from the start; later ones are made by the owner or granted.
create function admin_is_granted() returns trigger
language plpgsql as $$
begin
  if is_owner(tg_relid) then return new; end if;
  if tg_op = 'INSERT' then
    if new.role = 'SuperAdmin' and exists (select from admin) then perform refuse('NotDecided'); end if;
    return new;
  end if;
  if old.role <> new.role
    and not is_decided_now(case new.role when 'SuperAdmin' then 'grant' else 'demotion' end::approval_kind, new.id) then
    perform refuse('NotDecided');
  end if;
  if old.retired_at is not null and new.retired_at is distinct from old.retired_at then
    perform refuse('NotDecided');
  end if;
  if old.retired_at is null and new.retired_at is not null and is_approver(old.id)
    and not is_decided_now('removal', new.id) then
    perform refuse('NotDecided');
  end if;
  return new;
end
$$;
create trigger admin_is_granted before insert or update on admin
for each row execute function admin_is_granted();

-- An account has its right to approve from a request that another approver can see, and from the time of that request.
create function admin_authority_is_requested() returns trigger
language plpgsql as $$
begin
  if is_owner(tg_relid) then return new; end if;
  if new.given_at <> now() then perform refuse('NotDecided'); end if;
  if new.given_by is null then
    if exists (select from admin where id <> new.admin_id) then perform refuse('NotDecided'); end if;
  elsif not exists (
    select from approval
    where id = new.approval_id and subject_id = new.admin_id and requested_by = new.given_by
      and (kind = 'account' and state = 'waiting' or kind = 'grant' and state = 'approved' and decided_at = now())
  ) then
    perform refuse('NotDecided');
  end if;
  return new;
end
$$;
create trigger admin_authority_is_requested before insert on admin_authority
for each row execute function admin_authority_is_requested();

-- An account whose rights were widened to approving has them from somebody, in the same transaction.
create function admin_is_widened_by_somebody() returns trigger
language plpgsql as $$
begin
  if not is_owner(tg_relid) and not exists (
    select from admin_authority where admin_id = new.id and given_at = now()
  ) then
    perform refuse('NotDecided');
  end if;
  return null;
end
$$;
create constraint trigger admin_is_widened_by_somebody after update on admin deferrable initially deferred
for each row when (
  not admin_holds(old.role, old.permission_set, 'money.approve')
  and admin_holds(new.role, new.permission_set, 'money.approve')
) execute function admin_is_widened_by_somebody();

-- Both are inserted unpaid; the triggers on their payment are about updates.
revoke insert, update on adjustment from bursar_app;
grant insert (id, user_id, asset, units, account, other_account, reason, made_by) on adjustment to bursar_app;
grant update (posted_at) on adjustment to bursar_app;
revoke insert on task from bursar_app;
grant insert (id, user_id, post_url, title, description, reward_usd, deadline, status, created_at, sent_digest)
  on task to bursar_app;
