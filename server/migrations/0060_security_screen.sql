-- What browsers reported as forbidden by the content policy of the page, one row for each different violation, so that
-- administrators see it without reading the log of the server.
create table policy_report (
  directive text not null check (length(directive) <= 100),
  blocked text not null check (length(blocked) <= 200),
  reports bigint not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  primary key (directive, blocked)
);
comment on table policy_report is 'owner: security. Anyone can send reports, so the number of rows is limited.';
create index policy_report_by_last on policy_report (last_at);

-- The sign-ins of one administrator are read newest first, among all else that the administrator did.
create index audit_entry_by_sign_in on audit_entry (actor_id, seq)
where action in ('auth.sign-in', 'auth.sign-in-refused');

grant select, insert, update, delete on policy_report to bursar_app;
grant select on policy_report to bursar_worker, bursar_auditor;
