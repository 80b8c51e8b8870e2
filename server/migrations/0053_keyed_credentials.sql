-- Whoever steals only the database, or a login that can write tables, must not be able to sign in. What a session, a
-- password or an API key is checked against is therefore made with keys that the database does not hold. The program
-- that migrates seals the existing passwords and API keys in the same transaction. Sessions cannot be converted, because
-- their tokens are unknown: everyone signs in again, once as from an unknown device.
delete from session;
delete from known_device;

-- An HMAC of the columns that say who is signed in, and until when.
alter table session add column seal bytea not null;
comment on column session.token_hash is 'HMAC of the token, with a key outside the database.';
comment on column session.seal is 'HMAC of the other columns except the last use, with a key outside the database.';

alter table admin_credential alter column password_hash type bytea using convert_to(password_hash, 'UTF8');
comment on column admin_credential.password_hash is
  'The argon2id hash, encrypted with a key outside the database and bound to the administrator.';

comment on column api_key_secret.hash is
  'The SHA-256 digest of the secret, encrypted with a key outside the database and bound to the key, its scopes and end.';

-- The hash may change: it is encrypted anew when the key outside the database is rotated. The roles of the processes
-- have no right to update it, and a hash that was not made with that key opens nothing.
create or replace function api_key_secret_is_decided() returns trigger
language plpgsql as $$
declare
  needs_approval boolean := (select moves_money(scopes) from api_key where id = new.api_key_id);
begin
  if tg_op = 'INSERT' then
    if needs_approval and new.approved_at is not null then perform refuse('NotDecided'); end if;
    return new;
  end if;
  if (old.id, old.api_key_id, old.prefix, old.created_by, old.created_at, old.overlap_hours)
    is distinct from
      (new.id, new.api_key_id, new.prefix, new.created_by, new.created_at, new.overlap_hours)
    or new.valid_until is null and old.valid_until is not null or new.valid_until > old.valid_until then
    raise exception 'a secret of a key can only be approved or end earlier' using errcode = 'BU002';
  end if;
  if old.approved_at is distinct from new.approved_at and not exists (
    select from approval
    where kind::text = 'key' and subject_id = new.id and state = 'approved' and decided_at = now()
      and payload->'facts' @> jsonb_build_array(jsonb_build_object('key', 'keyPrefix', 'value', new.prefix))
  ) then
    perform refuse('NotDecided');
  end if;
  return new;
end
$$;
