-- Denied calls of one caller since the last audit row about them. Without it, a caller could fill the log with denials,
-- and every audit row makes all others wait.
create table audit_denial (
  -- An administrator or an API key.
  caller_id uuid primary key,
  is_api_key boolean not null,
  -- Those that no audit row counts yet, and the calls among them.
  pending integer not null,
  calls text[] not null,
  recorded_at timestamptz not null
);
comment on table audit_denial is 'owner: audit. One row for each caller that was ever denied a call.';
grant select, insert, update on audit_denial to bursar_app;
grant select, update on audit_denial to bursar_worker;
grant select on audit_denial to bursar_auditor;
