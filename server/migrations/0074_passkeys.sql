-- Passkeys: an administrator signs in with one, and signs approvals with it, so that neither the server nor the owner of
-- the database can invent an approval of theirs.
create table passkey (
  id uuid primary key default uuid_v7(),
  admin_id uuid not null references admin,
  credential_id text not null unique check (length(credential_id) <= 1400),
  -- COSE, as the authenticator sent it.
  public_key bytea not null,
  -- The domain for which the browser made it.
  rp_id text not null check (length(rp_id) <= 253),
  -- HMAC of the columns above, with a key outside the database: a passkey that was added in SQL signs nobody in.
  seal bytea not null,
  name text not null check (length(name) between 1 and 80),
  sign_count bigint not null default 0,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  removed_at timestamptz
);
comment on table passkey is 'owner: auth. Removed, never deleted: the signatures of approvals are checked with it.';
create index passkey_by_admin on passkey (admin_id) where removed_at is null;

create function passkey_stays_the_same() returns trigger
language plpgsql as $$
begin
  if (old.id, old.admin_id, old.credential_id, old.public_key, old.rp_id, old.created_at)
    is distinct from (new.id, new.admin_id, new.credential_id, new.public_key, new.rp_id, new.created_at)
    or old.removed_at is not null and new.removed_at is distinct from old.removed_at then
    raise exception 'a passkey cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger passkey_stays_the_same before update on passkey
for each row execute function passkey_stays_the_same();
create trigger passkey_is_never_deleted before delete or truncate on passkey
for each statement execute function stop_rewriting();

-- Only challenges that were answered are stored, so that nobody can fill the table by asking for more.
create table used_challenge (
  challenge text primary key check (length(challenge) <= 200),
  used_at timestamptz not null default now()
);
comment on table used_challenge is 'owner: auth. A challenge is used once; it expires after five minutes.';

-- What the authenticator of the approver signed: a challenge that is a hash of the id and digest of the request.
create table approval_signature (
  approval_id uuid primary key references approval,
  passkey_id uuid not null references passkey,
  authenticator_data bytea not null,
  client_data bytea not null,
  signature bytea not null,
  signed_at timestamptz not null default now()
);
comment on table approval_signature is 'owner: approvals. Append-only; `bursar audit verify` checks each one.';
create trigger approval_signature_is_append_only before update or delete or truncate on approval_signature
for each statement execute function stop_rewriting();

grant select, insert on passkey to bursar_app;
grant update (sign_count, last_used_at, removed_at) on passkey to bursar_app;
grant select, insert, delete on used_challenge to bursar_app;
grant select, insert on approval_signature to bursar_app;
grant select on passkey, approval_signature to bursar_worker, bursar_auditor;
