import { useSuspenseQuery } from '@tanstack/react-query';
import { readMe } from 'contract/auth.ts';
import { queryFor } from './query.ts';

export const meQuery = queryFor(readMe, {});

/** Who is signed in; every /dashboard route has asked for it before it shows. */
export const useMe = () => useSuspenseQuery(meQuery).data.me;
