type Record = Readonly<{ [name: string]: unknown }>;

const isRecord = (value: unknown): value is Record => typeof value === 'object' && value !== null;

const say = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** An audit row for the eye: the reason, then what was before and what is after, then whatever else it holds. */
export function formatDetails({ reason, before, after, ...rest }: Record): string[] {
  const was = isRecord(before) ? before : {};
  const is = isRecord(after) ? after : {};
  const changed = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => was[name] !== is[name]);
  return [
    ...(reason === undefined ? [] : [`reason: ${say(reason)}`]),
    ...changed.map((name) => `${name}: ${formatChange(was[name], is[name])}`),
    ...Object.entries(rest).map(([name, value]) => `${name}: ${say(value)}`),
  ];
}

function formatChange(was: unknown, is: unknown) {
  if (is === undefined) return say(was);
  return was === undefined ? say(is) : `${say(was)} → ${say(is)}`;
}
