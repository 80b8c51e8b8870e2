import type { Change } from '../processes/code.ts';

/** Each makes a call answer what it must not. */
export const mutants = {
  /** Throws for U+0000 in place of refusing it. */
  throwsForNul: {
    file: 'server/src/core/http/input.ts',
    from: "  if (typeof value === 'string') return value.includes('\\u0000');",
    to: "  if (typeof value === 'string' && value.includes('\\u0000')) throw new Error('NUL');",
  },
  /** Takes a forged cursor for its own fault. */
  trustsCursors: {
    file: 'server/src/core/db/keyset.ts',
    from: "  throw new Refusal('InvalidCursor');",
    to: "  throw new Error('InvalidCursor');",
  },
  /** Hides that a call exists, with a status that no document declares. */
  hidesCalls: {
    file: 'server/src/core/http/authenticate.ts',
    from: "    throw new Refusal('PermissionDenied');",
    to: "    throw new Refusal('NoSuchCall');",
  },
} satisfies Record<string, Change>;
