/** The users of one chunk: after `after`, up to and including `to`. */
export type Range = { after: string; to: string };

export const beforeAll = '00000000-0000-0000-0000-000000000000';
export const everyone = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
