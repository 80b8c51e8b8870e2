-- Whoever can write to the table could name themselves at the provider as another administrator. A seal is an HMAC with
-- a key outside the database over the administrator, the issuer and the subject; a row without one that fits signs
-- nobody in. Earlier rows go: they are stored again, with a seal, at the next sign-in.
delete from sso_identity;
alter table sso_identity add column seal bytea not null;
