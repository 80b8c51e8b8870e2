-- Taking the right to approve from an administrator, or the name with which they sign in, needs a second SuperAdmin:
-- otherwise one could remove all others. The requested change is the subject of a request of the kind 'demotion'.
create table admin_change (
  admin_id uuid primary key references admin,
  username text not null,
  permission_set permission_set
);
comment on table admin_change is 'owner: admins. What was last requested for an administrator.';
grant select, insert, update, delete on admin_change to bursar_app;
grant select on admin_change to bursar_auditor;
