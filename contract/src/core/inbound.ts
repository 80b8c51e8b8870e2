import { z } from 'zod';
import { Timestamp } from './endpoint.ts';
import { rule } from './field-errors.ts';

/** How many items a call of the platform can have. */
const inboundItems = 1_000;

/** How large the body of such a call can be: the largest item has fewer than 50 values. */
export const inboundLimits = { bytes: 2 * 1024 * 1024, nodes: 50 * inboundItems };

const visibleAscii = (longest: number) =>
  z.string().regex(new RegExp(`^[!-~]{1,${longest}}$`), rule(`must have 1 to ${longest} visible ASCII characters`));

/** The platform's own id of an item. */
export const PlatformId = visibleAscii(100).describe(
  "The platform's own ID of the item. It is the idempotency key: sent again, it is the same item.",
);

/** The platform's own id of a user or a stake, which the panel shows. */
export const ShownId = visibleAscii(64);

/** Whose item it is. */
export const OwnerId = ShownId.describe('The ID under which the user was sent.');

/** An amount is read for its asset item by item, so that one wrong amount does not refuse the whole call. */
export const WrittenAmount = z
  .string()
  .max(40)
  .describe('A positive decimal number without an exponent, with no more decimals than its asset has.');

export const HappenedAt = Timestamp.describe('When it happened, in UTC.');

/** The body of a call. A single item is a list of one. */
export const itemsOf = <Item extends z.core.$ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item).min(1).max(inboundItems) });

/** Why an item is refused: a code for programs and a text for humans. */
type ItemRefusals = { readonly [code: string]: string };

const describeCodes = (codes: ItemRefusals) =>
  Object.entries(codes)
    .map(([code, text]) => `- \`${code}\`: ${text}`)
    .join('\n');

/** What became of each item, in the order of the items. */
export const resultsOf = <const Codes extends ItemRefusals>(codes: Codes) =>
  z.object({
    results: z.array(
      z.discriminatedUnion('outcome', [
        z.object({
          id: z.string(),
          outcome: z.enum(['stored', 'duplicate']).describe('`duplicate` if the same item was stored before.'),
        }),
        z.object({
          id: z.string(),
          outcome: z.literal('refused'),
          code: z.enum(Object.keys(codes) as (keyof Codes & string)[]).describe(describeCodes(codes)),
          reason: z.string().describe('The text of the code.'),
        }),
      ]),
    ),
  });

export type ItemResult<Code extends string> =
  | { id: string; outcome: 'stored' | 'duplicate' }
  | { id: string; outcome: 'refused'; code: Code; reason: string };

/** Refusals of items that several calls have. */
export const itemRefusals = {
  IdReused: 'Another item was stored under this ID. Send a new item under a new ID.',
  UserUnknown: 'No user has this ID. Send the user first.',
  UserDeleted: 'This user was deleted.',
  AmountInvalid: 'The amount must be positive, and have no more decimals than its asset.',
  TimeInvalid: 'The time must not be in the future, and not before the year 2000.',
  BalanceTooLow: 'The user does not have this amount.',
  WalletInvalid: 'The address is not a valid Solana wallet. Funds sent to it would be lost.',
} as const;

/** Refusals of a whole call; nothing of it is stored. */
export const inboundRefusals = {
  503: { UnderMaintenance: 'The platform is under maintenance. Repeat the call after the time in Retry-After.' },
} as const;
