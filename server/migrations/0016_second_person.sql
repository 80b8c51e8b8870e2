-- Settings that decide what is paid, limits, who becomes a SuperAdmin and repairs need a second person too.
drop index approval_waiting;
alter table approval_limit drop constraint approval_limit_pkey;
alter type approval_kind rename to approval_kind_of_money;
create type approval_kind as enum ('withdrawal', 'adjustment', 'task', 'run', 'settings', 'limit', 'grant', 'repair');
alter table approval alter column kind type approval_kind using kind::text::approval_kind;
alter table approval_limit alter column kind type approval_kind using kind::text::approval_kind;
drop type approval_kind_of_money;
create unique index approval_waiting on approval (kind, subject_id) where state = 'waiting';
alter table approval_limit add primary key (kind, asset, version);

-- Who asked is who saved it; nobody approved what needs nobody.
alter table job_settings add column approved_by uuid references admin;
alter table approval_limit add column approved_by uuid references admin;

-- What was asked for last, for each job; what became of it says the approval.
create table job_settings_wish (
  job text primary key check (job in ('stake-payout', 'gmp-distro', 'referral-check', 'rank-bonus')),
  id uuid not null unique default uuid_v7(),
  -- The version that its author saw.
  version integer not null,
  settings jsonb not null
);
comment on table job_settings_wish is 'owner: jobs.';

create table approval_limit_wish (
  kind approval_kind not null,
  asset asset not null,
  id uuid not null unique default uuid_v7(),
  version integer not null,
  limit_units bigint not null check (limit_units >= 0),
  primary key (kind, asset)
);
comment on table approval_limit_wish is 'owner: approvals.';

grant select, insert, update on job_settings_wish, approval_limit_wish to bursar_app;
grant insert on approval_limit to bursar_app;
grant select on job_settings_wish, approval_limit_wish to bursar_auditor;
