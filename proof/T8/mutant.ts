import type { Change } from '../processes/code.ts';

/** Strangers use the connections and the queue of known devices, as many at once as there are. */
export const oneLaneForAll: Change[] = [
  {
    file: 'server/src/serve.ts',
    from: 'const strangers = connectWith(strangerConnections);',
    to: 'const strangers = { database, pool };',
  },
  {
    file: 'server/src/core/auth/sign-in-lanes.ts',
    from: 'if (strangersAtOnce.pendingCount >= strangersWaiting) {',
    to: 'if (strangersAtOnce.pendingCount < 0) {',
  },
  {
    file: 'server/src/core/auth/sign-in-lanes.ts',
    from: 'const tried = await strangersAtOnce(async () => {',
    to: 'const tried = await (async <R>(work: () => R) => work())(async () => {',
  },
  {
    file: 'server/src/core/auth/sign-in-lanes.ts',
    from: "queue: 'strangers' }",
    to: "queue: 'known' }",
  },
];
