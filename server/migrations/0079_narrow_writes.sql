-- What a stolen database login of the API could still change without being named.

-- A verification must be able to read every value that it seals or compares. With an infinite time, or details that are
-- not JSON, one row ended it with an error before it named anything.
create function is_calendar_time(value timestamptz) returns boolean
language sql immutable
return value >= timestamptz '0001-01-01 00:00:00+00' and value < timestamptz '10000-01-01 00:00:00+00';

alter table deposit add constraint deposit_has_calendar_times check (is_calendar_time(recorded_at)) not valid;
alter table withdrawal add constraint withdrawal_has_calendar_times check (is_calendar_time(created_at)) not valid;
alter table approval add constraint approval_has_calendar_times check (
  is_calendar_time(requested_at) and is_calendar_time(expires_at)
  and (decided_at is null or is_calendar_time(decided_at))
) not valid;
alter table audit_entry add constraint audit_entry_is_readable
check (is_calendar_time(at) and details::jsonb is not null) not valid;

-- With another number on the platform or another sponsor for a user, a thief could take their money or the bonus for them.
revoke update on platform_user from bursar_app;
grant update (
  role, wallet, referral_code, rank, blacklisted_at, blacklist_reason, retired_at, updated_at, version, last_active_on
) on platform_user to bursar_app;

-- An administrator without an identity at the provider gets one by their name at the first sign-in. So an identity is
-- removed only from a deleted account, or while the account is recovered.
revoke delete on sso_identity from bursar_app;
create function release_sso_identity(of_admin uuid) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from sso_identity
  where admin_id = of_admin and (
    exists (select from admin where id = of_admin and retired_at is not null)
    or exists (
      select from admin_recovery
      where admin_id = of_admin and date_trunc('milliseconds', recovered_at) = date_trunc('milliseconds', now())
    )
  )
$$;
revoke execute on function release_sso_identity from public;
grant execute on function release_sso_identity to bursar_app;
