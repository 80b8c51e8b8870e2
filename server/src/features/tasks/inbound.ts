import { hash } from 'node:crypto';
import { parseAmount, readAmount } from 'contract/core/money.ts';
import { type SubmissionItem, submissionItemRefusals as texts } from 'contract/tasks-inbound.ts';
import { selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { decideItems, isPast, isPayable, refuseUser } from '#server/core/inbound/inbound.ts';
import { selectUsers } from '#server/core/inbound/queries.ts';
import { platformId } from '#server/core/platform-id.ts';
import { insertSubmissions, selectDigests, type Submission } from './inbound-queries.ts';

/** The largest reward of a task: a million dollars. */
const largestReward = 1_000_000_000_000n;

/** A submission whose reward may be unreadable. */
type Draft = Omit<Submission, 'reward'> & { reward: bigint | undefined };

/** Adds tasks that users submit as completed. Administrators can change them later, so a digest tells duplicates. */
export async function storeSubmissions(tx: Tx, items: readonly SubmissionItem[]) {
  const users = await selectUsers(
    tx,
    items.map(({ user }) => user),
  );
  const ids = new Map(items.map(({ id }) => [platformId('task', id), id]));
  const stored = await selectDigests(tx, [...ids.keys()]);
  const now = await selectNow(tx);
  const draftOf = ({ id, user, reward, ...item }: SubmissionItem): Draft => ({
    ...item,
    id: platformId('task', id),
    userId: users.get(user)?.id ?? '',
    reward: readAmount(reward, 'USD'),
  });
  const { added, results } = decideItems({
    items,
    texts,
    stored: new Map(stored.map(({ id, digest }) => [ids.get(id) ?? '', digest ?? ''])),
    contentOf: (item) => digestOf(draftOf(item)),
    refuse: (item) => {
      const { reward } = draftOf(item);
      if (!isPayable(reward) || reward > largestReward) return 'AmountInvalid';
      if (item.title.length === 0 || item.title.length > 200 || item.description.length > 5_000) return 'TextInvalid';
      if (!isPostUrl(item.postUrl)) return 'UrlInvalid';
      return isPast(item.at, now) ? refuseUser(users.get(item.user)) : 'TimeInvalid';
    },
  });
  if (added.length === 0) return { results };
  await insertSubmissions(
    tx,
    added.map((item) => {
      const draft = draftOf(item);
      return { ...draft, reward: parseAmount(item.reward, 'USD'), digest: digestOf(draft) };
    }),
  );
  await announce(tx, { feature: 'tasks', id: 'inbound' });
  return { results };
}

const isPostUrl = (address: string) => address.length <= 2_000 && /^https?:\/\//.test(address) && URL.canParse(address);

const digestOf = ({ userId, postUrl, title, description, reward, deadline, at }: Draft) =>
  hash('sha256', JSON.stringify([userId, postUrl, title, description, String(reward), deadline, at]));
