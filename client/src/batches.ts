/** The limits of a call. The limits leave space for braces and commas. */
const itemsInCall = 1_000;
const bytesInCall = 2 * 1024 * 1024 - 1024;

/** Returns the bodies of as many calls as the items need. */
export function* batchesOf(items: readonly unknown[]) {
  let batch: string[] = [];
  let bytes = 0;
  for (const item of items) {
    const json = JSON.stringify(item);
    const size = Buffer.byteLength(json) + 1;
    if (batch.length > 0 && (batch.length === itemsInCall || bytes + size > bytesInCall)) {
      yield bodyOf(batch);
      [batch, bytes] = [[], 0];
    }
    batch.push(json);
    bytes += size;
  }
  if (batch.length > 0) yield bodyOf(batch);
}

const bodyOf = (batch: readonly string[]) => `{"items":[${batch.join(',')}]}`;
