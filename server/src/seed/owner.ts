import type { Database, Pool } from '#server/core/db/db.ts';

/** Connections of the database's owner, who may write every table. */
export type Owner = { database: Database; pool: Pool };
