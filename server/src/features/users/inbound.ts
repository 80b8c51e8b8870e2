import { hash } from 'node:crypto';
import { walletFault } from 'contract/core/wallet.ts';
import { ReferralCode } from 'contract/users.ts';
import { type UserItem, userItemRefusals as texts } from 'contract/users-inbound.ts';
import { selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { decideItems, isPast } from '#server/core/inbound/inbound.ts';
import { selectUsers } from '#server/core/inbound/queries.ts';
import { platformId } from '#server/core/platform-id.ts';
import { insertSent, selectByCode, selectNames, selectSent, type SentUser } from './inbound-queries.ts';

/**
 * Adds users of the platform. A sponsor is stored before, or comes earlier in the same call. The order of the reads
 * matters beside a call with the same users: a user whose name is found is found too, and then the sponsor as well.
 */
export async function storeUsers(tx: Tx, items: readonly UserItem[]) {
  const now = await selectNow(tx);
  const taken = await selectTaken(tx, items);
  const stored = await selectSent(
    tx,
    items.map(({ id }) => id),
  );
  const sponsors = await selectSponsors(tx, items);
  const { added, results } = decideItems({
    items,
    texts,
    stored: new Map(stored.map((row) => [row.userNumber, row.sentDigest ?? digestOf(row)])),
    contentOf: (item) => digestOf(sentBy(item, sponsors)),
    refuse: (item) => {
      const refused = refuseFields(item, now) ?? taken.refuse(item) ?? sponsors.refuse(item);
      if (refused === undefined) {
        taken.add(item);
        sponsors.add(item);
      }
      return refused;
    },
  });
  if (added.length === 0) return { results };
  await insertSent(
    tx,
    added.map((item) => {
      const user = sentBy(item, sponsors);
      return { ...user, id: platformId('user', item.id), sentDigest: digestOf(user) };
    }),
  );
  await announce(tx, { feature: 'users', id: 'inbound' });
  return { results };
}

function refuseFields({ username, wallet, solWalletAddress, referralCode, joinedAt }: UserItem, now: Date) {
  if (!/^[^\p{C}]{1,64}$/u.test(username) || username !== username.trim()) return 'UsernameInvalid';
  if (!ReferralCode.safeParse(referralCode).success) return 'ReferralCodeInvalid';
  if ([wallet, solWalletAddress].some((address) => walletFault(address) !== undefined)) return 'WalletInvalid';
  return isPast(joinedAt, now) ? undefined : 'TimeInvalid';
}

/** The names and codes that are taken, by stored users and by earlier items of the call. */
async function selectTaken(tx: Tx, items: readonly UserItem[]) {
  const names = await selectNames(
    tx,
    items.map(({ username }) => username),
  );
  const byCode = await selectByCode(
    tx,
    items.map(({ referralCode }) => referralCode),
  );
  const takenNames = new Set<string>();
  const takenCodes = new Set(byCode.keys());
  const keyOf = (username: string) => names.get(username)?.key ?? username;
  return {
    refuse({ username, referralCode }: UserItem) {
      if (names.get(username)?.isTaken || takenNames.has(keyOf(username))) return 'UsernameTaken';
      return takenCodes.has(referralCode) ? 'ReferralCodeTaken' : undefined;
    },
    add({ username, referralCode }: UserItem) {
      takenNames.add(keyOf(username));
      takenCodes.add(referralCode);
    },
  };
}

type Sponsors = Awaited<ReturnType<typeof selectSponsors>>;

async function selectSponsors(tx: Tx, items: readonly UserItem[]) {
  const named = items.flatMap(({ sponsor }) => sponsor ?? []);
  const numbers = named.flatMap((sponsor) => ('id' in sponsor ? [sponsor.id] : []));
  const codes = named.flatMap((sponsor) => ('referralCode' in sponsor ? [sponsor.referralCode] : []));
  const byNumber = new Map(Array.from(await selectUsers(tx, numbers), ([number, { id }]) => [number, id]));
  const byCode = await selectByCode(tx, codes);
  const sponsorOf = ({ sponsor }: UserItem) =>
    sponsor && ('id' in sponsor ? byNumber.get(sponsor.id) : byCode.get(sponsor.referralCode));
  return {
    sponsorOf,
    refuse(item: UserItem) {
      const { id, referralCode, sponsor } = item;
      if (!sponsor) return undefined;
      const isSelf = 'id' in sponsor ? sponsor.id === id : sponsor.referralCode === referralCode;
      if (isSelf) return 'SelfSponsor';
      return sponsorOf(item) === undefined ? 'SponsorUnknown' : undefined;
    },
    add({ id, referralCode }: UserItem) {
      byNumber.set(id, platformId('user', id));
      byCode.set(referralCode, platformId('user', id));
    },
  };
}

const sentBy = (item: UserItem, { sponsorOf }: Sponsors): SentUser => {
  const { id: userNumber, username, role, wallet, solWalletAddress, referralCode, joinedAt } = item;
  const sponsorId = sponsorOf(item) ?? null;
  return { userNumber, username, role, wallet, solWalletAddress, referralCode, sponsorId, joinedAt };
};

const digestOf = ({ username, role, wallet, solWalletAddress, referralCode, sponsorId, joinedAt }: SentUser) =>
  hash('sha256', JSON.stringify([username, role, wallet, solWalletAddress, referralCode, sponsorId, joinedAt]));
