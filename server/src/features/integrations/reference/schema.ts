import { z } from 'zod';

/** Patterns of zod that repeat what the format says, in hundreds of characters. Times must be in UTC. */
const shorterPatterns: Record<string, string | undefined> = { 'date-time': 'Z$', date: undefined, uuid: undefined };

/**
 * Returns the JSON Schema of a value on the wire. That is the input of a codec, in a response as well: the server
 * encodes what it answers.
 */
export function schemaOf(schema: z.core.$ZodType) {
  const { $schema: _dialect, $defs: _shared, ...json } = z.toJSONSchema(schema, { io: 'input', override: simplify });
  return json;
}

type Converted = { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema };

function simplify({ zodSchema, jsonSchema }: Converted) {
  const { format } = jsonSchema;
  if (format !== undefined && format in shorterPatterns) {
    delete jsonSchema.pattern;
    const pattern = shorterPatterns[format];
    if (pattern !== undefined) jsonSchema.pattern = pattern;
  }
  // A record of any JSON refers to a recursive definition, which has no place in a document with many schemas.
  if (zodSchema._zod.def.type === 'record') {
    delete jsonSchema.propertyNames;
    jsonSchema.additionalProperties = true;
  }
}
