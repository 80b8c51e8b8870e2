type Record = Readonly<{ [name: string]: unknown }>;

const isRecord = (value: unknown): value is Record => typeof value === 'object' && value !== null;

const formatValue = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Formats the details of an audit row: the reason, then changed fields, then all other fields. */
export function formatDetails({ reason, before, after, ...rest }: Record): string[] {
  const was = isRecord(before) ? before : {};
  const is = isRecord(after) ? after : {};
  const changed = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => was[name] !== is[name]);
  return [
    ...(reason === undefined ? [] : [`reason: ${formatValue(reason)}`]),
    ...changed.map((name) => `${name}: ${formatChange(was[name], is[name])}`),
    ...Object.entries(rest).map(([name, value]) => `${name}: ${formatValue(value)}`),
  ];
}

function formatChange(was: unknown, is: unknown) {
  if (is === undefined) return formatValue(was);
  return was === undefined ? formatValue(is) : `${formatValue(was)} → ${formatValue(is)}`;
}
