import { sealPasswordHashes } from './core/auth/sealed.ts';
import type { Conversions } from './core/db/migrate.ts';
import { sealEarlierEvents } from './core/outbox/queries.ts';
import { sealSecretDigests } from './features/integrations/keys/sealed.ts';

/** What migrations do to the rows of each feature. */
export const conversions: Conversions = {
  '0053_keyed_credentials.sql': async (db) => {
    await sealPasswordHashes(db);
    await sealSecretDigests(db);
  },
  '0078_event_seals.sql': sealEarlierEvents,
};
