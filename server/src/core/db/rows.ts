/** Writes rows as JSON for `json_to_recordset`: one parameter, however many rows there are. */
export const rowsAsJson = (rows: readonly object[]) =>
  JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
