-- PostgreSQL writes the parameters of a stored SQL body by name. A function with nameless ones can be used, but not
-- restored from a dump.
create or replace function limit_of(of_kind limit_kind, of_asset asset) returns bigint
language sql stable
return coalesce(
  (select limit_units from approval_limit where kind = of_kind and asset = of_asset order by version desc limit 1), 0);

create or replace function admin_holds(held_role admin_role, held_set permission_set, permission text) returns boolean
language sql immutable
return case
  when held_role = 'SuperAdmin' then true
  when permission = 'tasks.write' then held_set is null
  when permission in ('money.prepare', 'money.approve', 'jobs.write') then held_set is null or held_set = 'Finance'
  else false
end;
