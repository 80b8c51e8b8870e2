import { useSuspenseQuery } from '@tanstack/react-query';
import { readMe } from 'contract/auth.ts';
import { queryFor } from './query.ts';

export const meQuery = queryFor(readMe, {});

/** Returns the signed-in administrator, whom the guard of every /dashboard route loads before rendering. */
export const useMe = () => useSuspenseQuery(meQuery).data.me;
