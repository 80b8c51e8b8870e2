-- One flag for the whole platform.
create table maintenance (
  single boolean primary key default true check (single),
  active boolean not null,
  ends_at timestamptz,
  changed_by uuid references admin,
  changed_at timestamptz,
  check (active = (ends_at is not null))
);
comment on table maintenance is 'owner: maintenance.';
insert into maintenance (active) values (false);

create table admin_settings (
  admin_id uuid primary key references admin,
  full_name text not null check (length(full_name) between 1 and 120),
  email text not null check (length(email) between 3 and 254),
  theme text not null check (theme in ('light', 'dark')),
  notifications boolean not null,
  version integer not null default 1,
  updated_at timestamptz not null default now()
);
comment on table admin_settings is 'owner: settings.';

-- Every save is a row of its own: what a run was made from can always be read again.
create table job_settings (
  job text not null check (job in ('stake-payout', 'gmp-distro', 'referral-check', 'rank-bonus')),
  version integer not null check (version >= 1),
  -- As it travels: amounts are decimal strings, shares are percentages.
  settings jsonb not null,
  saved_by uuid references admin,
  saved_at timestamptz not null default now(),
  primary key (job, version)
);
comment on table job_settings is 'owner: jobs. Append-only; the highest version is in force.';
create trigger job_settings_is_append_only before update or delete or truncate on job_settings
for each statement execute function stop_rewriting();

insert into job_settings (job, version, settings) values
  ('stake-payout', 1, '{"enabled": false, "baseReward": 50, "bonusReward": 20, "loyaltyReward": 30}'),
  ('gmp-distro', 1, '{"amount": "1000.00", "frequency": "Daily", "time": "00:00", "enabled": false, "weekday": 1, "utcOffset": 0, "percentage": 100}'),
  ('referral-check', 1, '{"period": 30, "reward": 5}'),
  ('rank-bonus', 1, '{"rank": "Silver", "bonusAmount": "10.00"}');

grant select, update on maintenance to bursar_app;
grant select on maintenance to bursar_worker;
grant select, insert, update on admin_settings to bursar_app;
grant select, insert on job_settings to bursar_app;
grant select on job_settings to bursar_worker;
grant select on maintenance, job_settings to bursar_auditor;
