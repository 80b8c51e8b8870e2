-- What was answered to a call that moves money, under the key that its caller made: sent again, it is answered again
-- and not done again.
create table answered_call (
  admin_id uuid not null references admin,
  key text not null check (length(key) between 1 and 200),
  call text not null,
  -- Of what was sent: another body under the same key is a mistake of the caller.
  digest text not null,
  answer jsonb not null,
  answered_at timestamptz not null default now(),
  primary key (admin_id, key)
);
comment on table answered_call is 'owner: auth. Append-only, kept for good.';
create trigger answered_call_is_append_only before update or delete or truncate on answered_call
for each statement execute function stop_rewriting();

grant select, insert on answered_call to bursar_app;
grant select on answered_call to bursar_auditor;
