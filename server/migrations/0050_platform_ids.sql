-- Events name a withdrawal and a ticket as the platform does: the id of the row is a digest that cannot be read back.
-- Null for rows that administrators or the demo added, and for those that arrived before this version.
alter table withdrawal add column platform_id text;
alter table ticket add column platform_id text;

grant insert (platform_id) on withdrawal to bursar_app;
