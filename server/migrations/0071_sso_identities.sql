-- Who an administrator is at the provider of single sign-on. It is stored at the first sign-in, when the provider and
-- Bursar know them by the same name. From then on only the subject counts: a name can be given to somebody else.
create table sso_identity (
  admin_id uuid primary key references admin,
  issuer text not null,
  subject text not null,
  linked_at timestamptz not null default now(),
  unique (issuer, subject)
);
comment on table sso_identity is 'owner: auth.';
grant select, insert, delete on sso_identity to bursar_app;
grant select on sso_identity to bursar_auditor;
