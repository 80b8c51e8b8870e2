type Counted = { failures: number; endsAt: number };
type Limited = { key: string; limit: number };

/**
 * Counts failed attempts by key in the memory of this process, so that a key at its limit is refused before the first
 * query. The counts in the database hold for all processes together. Above `keysAtMost`, the oldest ones are forgotten.
 */
export function openAttemptWindow({ seconds, keysAtMost }: { seconds: number; keysAtMost: number }) {
  const counts = new Map<string, Counted>();

  const current = (key: string) => {
    const counted = counts.get(key);
    return counted && counted.endsAt > performance.now() ? counted : undefined;
  };

  function add(key: string) {
    const counted = current(key);
    if (counted) {
      counted.failures += 1;
      return;
    }
    // A key that is set again moves to the end, so that the first one is always the oldest.
    counts.delete(key);
    counts.set(key, { failures: 1, endsAt: performance.now() + seconds * 1000 });
    const [oldest] = counts.keys();
    if (counts.size > keysAtMost && oldest !== undefined) counts.delete(oldest);
  }

  return {
    /**
     * Counts an attempt as failed before it is tried. Counts nothing if one of the keys is at its limit, and returns the
     * seconds until it may be tried again.
     */
    charge(keys: readonly Limited[]) {
      for (const { key, limit } of keys) {
        const counted = current(key);
        if (counted && counted.failures >= limit) return Math.ceil((counted.endsAt - performance.now()) / 1000);
      }
      for (const { key } of keys) add(key);
      return undefined;
    },

    refund(key: string) {
      const counted = current(key);
      if (counted) counted.failures -= 1;
    },
  };
}
