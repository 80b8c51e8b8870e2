-- What a rank asks for is saved as the settings of a job are, a row for each version.
alter table job_settings drop constraint job_settings_job_check;
alter table job_settings add constraint job_settings_job_check
  check (job in ('stake-payout', 'gmp-distro', 'referral-check', 'rank-bonus', 'rank-promotion'));
insert into job_settings (job, version, settings) values
  ('rank-promotion', 1, '{"Silver": {"referrals": 5, "volume": "1000.00"}, "Gold": {"referrals": 20, "volume": "10000.00"}, "Platinum": {"referrals": 50, "volume": "100000.00"}}');

-- Who reaches a rank, in the order of their list. Without the volume: each stake changes that of everyone above, and
-- such a change would no longer stay within the row's page.
create index team_by_referrals on team (referral_count, user_id);
-- Of those who reach a rank most hold it already, and are passed over without a look at their rows.
create index platform_user_held_rank on platform_user (id) include (rank) where rank <> 'none';
