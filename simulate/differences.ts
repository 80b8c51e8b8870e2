/** What one side knows: a value for each thing, such as a balance or an item. */
export type Facts = ReadonlyMap<string, string>;

/** Returns the facts that the two sides do not share, one text for each; empty if they agree. */
export function differencesOf({ platform, bursar }: { platform: Facts; bursar: Facts }) {
  const all = new Set([...platform.keys(), ...bursar.keys()]);
  return [...all].flatMap((fact) => {
    const [own, theirs] = [platform.get(fact), bursar.get(fact)];
    return own === theirs ? [] : [`${fact}: the platform says ${own ?? 'nothing'}, Bursar says ${theirs ?? 'nothing'}`];
  });
}
