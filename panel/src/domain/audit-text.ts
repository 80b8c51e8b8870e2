type Fields = Readonly<{ [name: string]: unknown }>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

export type Change = { name: string; before: string | undefined; after: string | undefined };

const formatValue = (value: unknown) => {
  if (typeof value === 'string') return value;
  return value === undefined ? undefined : JSON.stringify(value);
};

/** Returns `limit.asset` for nested fields, so that only the values that differ are shown. */
function flatten(value: unknown, path = ''): [string, unknown][] {
  if (!isFields(value) || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => flatten(inner, path === '' ? name : `${path}.${name}`));
}

function fieldsOf(value: unknown): Map<string, unknown> {
  if (value === undefined || value === null) return new Map();
  return new Map(isFields(value) ? flatten(value) : [['value', value]]);
}

/** Splits the details of an audit row: the fields that changed, and all other fields, the reason first. */
export function readDetails({ reason, before, after, ...rest }: Fields) {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => formatValue(was.get(name)) !== formatValue(is.get(name)),
  );
  const others = reason === undefined ? rest : { reason, ...rest };
  return {
    changes: changed.map(
      (name): Change => ({
        name,
        before: formatValue(was.get(name)),
        after: formatValue(is.get(name)),
      }),
    ),
    others: Object.entries(others).map(([name, value]) => ({ name, value: formatValue(value) ?? '' })),
  };
}

/** Formats the details of an audit row as lines: the reason, then changed fields, then all other fields. */
export function formatDetails(details: Fields): string[] {
  const { changes, others } = readDetails(details);
  const lines = others.map(({ name, value }) => `${name}: ${value}`);
  const reasons = details['reason'] === undefined ? 0 : 1;
  return [...lines.slice(0, reasons), ...changes.map(formatChange), ...lines.slice(reasons)];
}

function formatChange({ name, before, after }: Change) {
  if (after === undefined) return `${name}: ${before}`;
  return before === undefined ? `${name}: ${after}` : `${name}: ${before} → ${after}`;
}
