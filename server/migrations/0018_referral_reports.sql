create type referral_report_state as enum ('waiting', 'running', 'done', 'failed');
create type referral_finding_kind as enum (
  'self-referral', 'circle', 'missing-sponsor', 'blacklisted-sponsor', 'shared-wallet'
);

-- What is wrong with the referral tree at one moment, and what became of the repair of its counters.
create table referral_report (
  id uuid primary key default uuid_v7(),
  asked_by uuid not null references admin,
  asked_at timestamptz not null default now(),
  state referral_report_state not null default 'waiting',
  -- Why it failed.
  why text,
  progress smallint not null default 0 check (progress between 0 and 100),
  -- The moment it speaks of.
  at timestamptz,
  ended_at timestamptz,
  users bigint not null default 0,
  -- How many findings there are of each kind, those that are not listed included.
  found jsonb not null default '{}',
  -- Of how many users a counter is wrong, and which.
  wrong_users bigint not null default 0,
  wrong_referrals bigint not null default 0,
  wrong_network bigint not null default 0,
  wrong_sol bigint not null default 0,
  wrong_usd bigint not null default 0,
  -- Of all corrections: whoever approves the repair, approves these and no others.
  digest text,
  repair_asked_by uuid references admin,
  repair_approved_by uuid references admin,
  repair_begun_at timestamptz,
  -- Everyone up to here is corrected.
  repaired_to uuid,
  repaired_at timestamptz,
  check ((state = 'failed') = (why is not null)),
  check ((state in ('done', 'failed')) = (ended_at is not null)),
  check ((state = 'done') = (digest is not null and at is not null)),
  check ((repair_begun_at is null) = (repair_asked_by is null)),
  check ((repair_begun_at is null) = (repair_approved_by is null)),
  check (repair_begun_at is null or state = 'done'),
  check (repair_begun_at is not null or (repaired_to is null and repaired_at is null))
);
comment on table referral_report is 'owner: referrals.';
create unique index referral_report_at_a_time on referral_report ((true)) where state in ('waiting', 'running');
create index referral_report_by_time on referral_report (asked_at, id);

-- What is over stays as it was found; only its repair goes on.
create function referral_report_stays_found() returns trigger
language plpgsql as $$
begin
  if old.state in ('done', 'failed') and (old.asked_by, old.asked_at, old.state, old.why, old.at, old.users, old.found,
      old.wrong_users, old.wrong_referrals, old.wrong_network, old.wrong_sol, old.wrong_usd, old.digest)
    is distinct from (new.asked_by, new.asked_at, new.state, new.why, new.at, new.users, new.found,
      new.wrong_users, new.wrong_referrals, new.wrong_network, new.wrong_sol, new.wrong_usd, new.digest)
    or old.repaired_at is not null then
    raise exception 'what was found stays as it was found' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger referral_report_stays_found before update on referral_report
for each row execute function referral_report_stays_found();
create trigger referral_report_is_never_deleted before delete or truncate on referral_report
for each statement execute function stop_rewriting();

-- For people to judge. Of a kind of which there are very many, the first are listed.
create table referral_finding (
  report_id uuid not null references referral_report,
  kind referral_finding_kind not null,
  no integer not null check (no >= 1),
  -- The one who is spoken of and their sponsor; those in a circle, each before their sponsor; those of one wallet.
  people uuid[] not null check (cardinality(people) >= 1),
  -- How many people it is in all; a long list of them is cut.
  size bigint not null check (size >= 1),
  wallet text,
  primary key (report_id, kind, no),
  check ((kind = 'shared-wallet') = (wallet is not null))
);
comment on table referral_finding is 'owner: referrals.';

-- Counters that are not what the tree says. All of them: this is what a repair adds, and nothing else.
create table referral_correction (
  report_id uuid not null references referral_report,
  user_id uuid not null references platform_user,
  stored_referrals bigint not null,
  tree_referrals bigint not null,
  stored_network bigint not null,
  tree_network bigint not null,
  stored_sol bigint not null,
  tree_sol bigint not null,
  stored_usd bigint not null,
  tree_usd bigint not null,
  primary key (report_id, user_id),
  check ((stored_referrals, stored_network, stored_sol, stored_usd)
    is distinct from (tree_referrals, tree_network, tree_sol, tree_usd))
);
comment on table referral_correction is 'owner: referrals.';
create trigger referral_finding_stays before update or truncate on referral_finding
for each statement execute function stop_rewriting();
create trigger referral_correction_stays before update or truncate on referral_correction
for each statement execute function stop_rewriting();

grant select, insert on referral_report to bursar_app;
grant update (repair_asked_by, repair_approved_by, repair_begun_at) on referral_report to bursar_app;
grant select on referral_finding, referral_correction to bursar_app;
grant select, update on referral_report to bursar_worker;
grant select, insert, delete on referral_finding, referral_correction to bursar_worker;
grant select on referral_report, referral_finding, referral_correction to bursar_auditor;
