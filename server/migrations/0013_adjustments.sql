-- A correction by hand, with its reason. Posted at once, or when a second person has approved it.
create table adjustment (
  -- Made by whoever asks, so that asking twice is asking once.
  id uuid primary key,
  user_id uuid not null references platform_user,
  asset asset not null check (asset <> 'SOL'),
  -- Less than nothing takes away.
  units bigint not null check (units <> 0),
  reason text not null check (length(reason) between 1 and 500),
  made_by uuid not null references admin,
  made_at timestamptz not null default now(),
  posted_at timestamptz
);
comment on table adjustment is 'owner: ledger.';
create index adjustment_by_maker on adjustment (made_by, made_at);

create function adjustment_stays_posted() returns trigger
language plpgsql as $$
begin
  if old.posted_at is not null or (old.id, old.user_id, old.asset, old.units, old.reason, old.made_by, old.made_at)
    is distinct from (new.id, new.user_id, new.asset, new.units, new.reason, new.made_by, new.made_at) then
    raise exception 'an adjustment is posted once, as it was made' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger adjustment_stays_posted before update on adjustment
for each row execute function adjustment_stays_posted();
create trigger adjustment_is_never_deleted before delete or truncate on adjustment
for each statement execute function stop_rewriting();

grant select, insert, update on adjustment to bursar_app;
grant select on adjustment to bursar_worker, bursar_auditor;
