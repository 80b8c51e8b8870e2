import { rowsByDefault } from 'contract/core/paging.ts';
import type { Member } from 'contract/users.ts';
import type { Db } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { selectReferralCount, selectSponsors, selectTeam } from './team-queries.ts';

type Params = { id: string; cursor?: string | undefined; limit?: number | undefined };

export async function listTeam(db: Db, { id, cursor, limit }: Params) {
  const referralCount = await selectReferralCount(db, id);
  if (referralCount === undefined) throw new Refusal('UserNotFound');
  return selectTeam(db, { id, referralCount, cursor, limit: limit ?? rowsByDefault });
}

const mostSponsors = 50;

export async function readSponsors(db: Db, id: string) {
  if ((await selectReferralCount(db, id)) === undefined) throw new Refusal('UserNotFound');
  const chain = await selectSponsors(db, id, mostSponsors + 1);
  const sponsors = chain.slice(0, Math.min(mostSponsors, firstRepeated(chain, id)));
  return { sponsors, cut: sponsors.length < chain.length };
}

/** Returns where the chain comes back to the user or an earlier sponsor, or the length of the chain. */
function firstRepeated(chain: Member[], id: string) {
  const met = new Set([id]);
  const repeated = chain.findIndex((member) => met.size === met.add(member.id).size);
  return repeated < 0 ? chain.length : repeated;
}
