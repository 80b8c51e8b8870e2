/** The users of one chunk: after `after`, up to and including `to`. */
export type Range = { after: string; to: string };

const uuidDigits = [8, 4, 4, 4, 12];

/** The range of one user: it starts after the previous uuid. */
export function rangeOf(user: string): Range {
  let rest = (BigInt(`0x${user.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0');
  const groups = uuidDigits.map((digits) => {
    const group = rest.slice(0, digits);
    rest = rest.slice(digits);
    return group;
  });
  return { after: groups.join('-'), to: user };
}

export const beforeAll = '00000000-0000-0000-0000-000000000000';
export const everyone = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
