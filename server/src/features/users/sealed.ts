import { sealedColumn } from '#server/core/db/sealed-rows.ts';

export const sealedPrivateKeys = sealedColumn({
  name: 'private keys of users',
  table: 'user_secret',
  key: 'user_id',
  column: 'sol_private_key',
  placeOf: (id) => ({ table: 'user_secret', id, column: 'sol_private_key' }),
});
