-- Only the newest row of admin_authority said who stands behind an unconfirmed account. So whoever renamed or widened the
-- account took the place of the one who had created it or set its password, who could then confirm it and approve what it
-- requests. Now everyone who gave it rights since it was last confirmed stands behind it.
create function stands_behind(giver uuid, account uuid) returns boolean
language sql stable
return giver <> account and exists (
  with recursive behind (id) as (
    select $2
    union
    select given.given_by
    from behind join admin_authority as given on given.admin_id = behind.id
    where given.given_by is not null and approves_from(behind.id) > now()
      and not exists (
        select from admin_authority as later join approval on approval.id = later.approval_id
        where later.admin_id = given.admin_id and (later.given_at, later.id) >= (given.given_at, given.id)
          and approval.state = 'approved'
      )
  )
  select from behind where id = $1
);

do $$
declare
  definition text := pg_get_functiondef('refuse_approving'::regproc);
  condition text := 'acts_for(request.requested_by) = decider';
begin
  if strpos(definition, condition) = 0 then raise exception 'refuse_approving does not ask who acts for the maker'; end if;
  execute replace(
    definition,
    condition,
    'stands_behind(decider, request.requested_by)
    or request.kind::text = ''account'' and stands_behind(decider, request.subject_id)'
  );
end
$$;

drop function acts_for;
