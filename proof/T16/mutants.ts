/** Each weakens one rule of the database. The attack must then move more than the daily limit. */
export const mutants = {
  'every account has a limit of its own': `
    create or replace function alone_limit_of(maker uuid, of_asset asset) returns bigint
    language sql stable return limit_of('alone', of_asset)`,
  'accounts need no confirmation': `
    create or replace function approves_from(admin_id uuid) returns timestamptz
    language sql stable return '-infinity'::timestamptz`,
  'the creator of an account approves its requests': `
    create or replace function stands_behind(giver uuid, account uuid) returns boolean
    language sql stable return false`,
  'the limit looks at single payments': `
    create or replace function moved_alone_today(maker uuid, of_asset asset, of_kind approval_kind) returns bigint
    language sql stable return 0::bigint`,
  'the limit does not count runs': `
    create or replace function moved_alone_today(maker uuid, of_asset asset, of_kind approval_kind) returns bigint
    language sql stable
    return (
      select coalesce(sum(units), 0)::bigint from approval
      where requested_by = maker and rule = 'limit' and asset = of_asset and (of_kind is null or kind = of_kind)
        and kind <> 'run' and decided_at >= date_trunc('day', now(), 'UTC')
    )`,
};
