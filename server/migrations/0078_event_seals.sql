-- Platforms pay what an event says, and both processes can insert events. Each now has a seal, an HMAC with a key that the
-- database does not hold: an event without a seal that fits is neither sent nor listed, and a verification names it.
-- Events from before are sealed as they are when this migration is applied.
alter table platform_event add column seal bytea not null default '' check (length(seal) in (0, 32));
alter table platform_event alter column seal drop default;
grant insert (id, seal) on platform_event to bursar_app, bursar_worker;
