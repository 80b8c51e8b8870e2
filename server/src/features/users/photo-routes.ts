import * as contract from 'contract/users.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { drawPhoto, readPhoto, setPhoto } from './photo.ts';

export function photoRoutes(api: Api, database: Database) {
  api.serve(contract.setPhoto, async ({ params, file, actor }) => {
    const photo = await drawPhoto(Buffer.from(await file.arrayBuffer()));
    return inActorTransaction(database, actor, (tx) => setPhoto(tx, { actor, id: params.id, photo }));
  });

  api.send(contract.readPhoto, async ({ params }) => {
    const webp = await readPhoto(database, params.id);
    return { type: 'image/webp', body: webp, bytes: webp.length };
  });
}
