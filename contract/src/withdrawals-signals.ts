import { z } from 'zod';

/** The risk signals of a withdrawal, to be checked before it is approved. */
export type Signal = z.output<typeof Signal>;
export const Signal = z.enum([
  'new wallet',
  'shared wallet',
  'first withdrawal',
  'more than half of the balance',
  'several within a day',
  'sponsor blacklisted',
]);
