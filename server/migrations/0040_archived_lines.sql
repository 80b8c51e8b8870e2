-- The lines of runs that ended long ago are written to files and their partitions dropped, oldest first. What they paid
-- stays: transfers, chunks with their sums and digests, and the run itself.
create table run_line_archive (
  -- The file has the lines of the days before this one, and not before that of the previous file.
  until date primary key,
  file text not null,
  started_at timestamptz not null default now(),
  lines bigint check (lines >= 0),
  bytes bigint check (bytes > 0),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  -- Set together with the above, when the file is complete and the partition is dropped.
  archived_at timestamptz,
  check (num_nulls(lines, bytes, sha256, archived_at) in (0, 4))
);
comment on table run_line_archive is 'owner: runs. Never changed once the file is complete.';

create function archive_is_final() returns trigger
language plpgsql as $$
begin
  if old.archived_at is not null or row(old.until, old.file) is distinct from row(new.until, new.file) then
    raise exception 'an archive is written once' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger run_line_archive_is_final before update on run_line_archive
for each row execute function archive_is_final();
create trigger run_line_archive_is_kept before delete or truncate on run_line_archive
for each statement execute function stop_rewriting();

-- The partitions that can be archived, oldest first. The last one has no end.
create view run_line_part as
select part.relname::text as name,
  (regexp_match(pg_get_expr(part.relpartbound, part.oid), 'TO \(''([0-9-]+)''\)'))[1]::date as until
from pg_inherits join pg_class as part on part.oid = pg_inherits.inhrelid
where pg_inherits.inhparent = 'run_line'::regclass
  and pg_get_expr(part.relpartbound, part.oid) like '%TO (''%';

-- Drops the partition of a complete archive. It refuses any other, so that the worker cannot drop lines at will.
create function drop_archived_lines(archived date) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
-- Everyone who plans waits behind it. The job tries again.
set lock_timeout = '2s' as $$
declare
  part text;
begin
  if not exists (select from run_line_archive where until = archived and archived_at is not null) then
    raise exception 'the lines before % are not archived', archived using errcode = 'BU002';
  end if;
  if exists (select from run where day < archived and ended_at is null) then
    raise exception 'a run before % has not ended', archived using errcode = 'BU002';
  end if;
  select name into part from run_line_part where until = archived;
  if part is null or exists (select from run_line_part where until < archived) then
    raise exception 'there is no oldest partition before %', archived using errcode = 'BU002';
  end if;
  execute format('drop table public.%I', part);
end
$$;
revoke execute on function drop_archived_lines from public;
grant execute on function drop_archived_lines to bursar_worker;
grant select on run_line_archive, run_line_part to bursar_app, bursar_worker, bursar_auditor;
grant insert, update on run_line_archive to bursar_worker;
