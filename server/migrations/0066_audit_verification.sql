-- The newest published head, as it also stands in the file of heads. Home warns with it when heads are no longer
-- published. Its signature covers the row, and only the worker has the key, so no one else can pretend that it is newer.
create table audit_head (
  id boolean primary key default true check (id),
  seq bigint not null,
  seal text not null,
  at timestamptz(3) not null,
  signature text not null
);
comment on table audit_head is 'owner: audit. The newest published head; the file of heads has all of them.';
grant select, insert, update on audit_head to bursar_worker;
grant select on audit_head to bursar_app, bursar_auditor;

-- Verifications of the whole audit log: scheduled ones, and those that someone starts in the panel.
create table audit_verification (
  id uuid primary key default uuid_v7(),
  requested_by uuid references admin,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  rows_done bigint not null default 0,
  rows_total bigint not null,
  -- Codes with their parameters (contract/src/audit-verification.ts); null until it is done.
  findings jsonb,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((state = 'done') = (findings is not null)),
  check ((state in ('done', 'failed')) = (ended_at is not null))
);
comment on table audit_verification is 'owner: audit.';
create unique index audit_verification_current on audit_verification ((true)) where ended_at is null;
create index audit_verification_ended on audit_verification (ended_at) where ended_at is not null;

-- The API only requests verifications: a verdict comes from a worker.
grant select, insert (requested_by, rows_total) on audit_verification to bursar_app;
grant select, insert, update on audit_verification to bursar_worker;
grant select on audit_verification to bursar_auditor;

-- The audit rows of approvals, limits and settings are compared with what they changed. A worker does that too.
grant select on approval_limit_change, job_settings_change, withdrawal_settings_change to bursar_worker;
