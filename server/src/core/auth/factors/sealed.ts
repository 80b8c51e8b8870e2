import { sealedColumn } from '#server/core/db/sealed-rows.ts';
import { placeOfRecoveryCode, placeOfTotp } from './codes.ts';

export const sealedTotpSecrets = sealedColumn({
  name: 'secrets of authenticator apps',
  table: 'totp_factor',
  key: 'admin_id',
  column: 'sealed',
  placeOf: placeOfTotp,
});

export const sealedRecoveryCodes = sealedColumn({
  name: 'recovery codes',
  table: 'recovery_code',
  column: 'sealed',
  placeOf: placeOfRecoveryCode,
});
