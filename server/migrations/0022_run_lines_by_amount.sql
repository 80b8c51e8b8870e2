-- The payments of a run are listed and searched by amount: what people get, without what is set aside.
-- The chunk in which a line was planned; 0 for lines that were planned before this column was added.
alter table run_line add column chunk integer not null default 0;
-- The amounts of each chunk in order. A chunk is planned in one piece, so its entries lie together and are cheap to add;
-- one order over all lines of a run would touch a page of the index anywhere for each line.
create index run_line_by_amount on run_line (run_id, chunk, (base + bonus + closing), cause_id);
