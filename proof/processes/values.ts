import fc from 'fast-check';
import type { Chance } from './chance.ts';

/** The parts of JSON Schema that the contract's schemas become. */
export type Schema = {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: readonly unknown[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
};

/** Returns values that the server has shown under the name of a field, such as ids, versions and cursors. */
export type Known = (name: string) => readonly unknown[];

export type Maker = { chance: Chance; known: Known };

const samplesOfPattern = 100;
const longestText = 40;
const longestList = 3;
const amountShare = 0.3;
const addressShare = 0.1;
const days = 3_000;
const dayMs = 86_400_000;
const firstDay = Date.UTC(2020, 0, 1);

/** Returns a value that the schema accepts, as far as a schema can say. Often it is one that the server has shown. */
export function validValue(schema: Schema, name: string, maker: Maker): unknown {
  const { chance, known } = maker;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return validValue(chance.one(options), name, maker);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return chance.one(schema.enum);
  if (schema.type === 'object') return validObject(schema, maker);
  if (schema.type === 'array') {
    const least = schema.minItems ?? 0;
    const count = least + chance.whole(Math.min(schema.maxItems ?? longestList, longestList) - Math.min(least, 2));
    return Array.from({ length: Math.max(count, least) }, () => validValue(schema.items ?? {}, name, maker));
  }
  const shown = known(name).filter((value) => isOfType(value, schema));
  if (shown.length > 0 && chance.happens(0.6)) return chance.one(shown);
  return madeValue(schema, chance);
}

function validObject({ properties = {}, required = [] }: Schema, maker: Maker) {
  const kept = Object.entries(properties).filter(([name]) => required.includes(name) || maker.chance.happens(0.5));
  return Object.fromEntries(kept.map(([name, schema]) => [name, validValue(schema, name, maker)]));
}

function isOfType(value: unknown, { type, pattern, format }: Schema) {
  if (type === 'string')
    return (
      typeof value === 'string' && (pattern === undefined || format !== undefined || patternOf(pattern).test(value))
    );
  return typeof value === (type === 'integer' ? 'number' : type);
}

function madeValue(schema: Schema, chance: Chance): unknown {
  switch (schema.type) {
    case 'string':
      return madeText(schema, chance);
    case 'integer':
    case 'number':
      return madeNumber(schema, chance);
    case 'boolean':
      return chance.happens(0.5);
    case undefined:
    default:
      return null;
  }
}

function madeText({ format, pattern, minLength = 0, maxLength = longestText }: Schema, chance: Chance) {
  const at = new Date(firstDay + chance.whole(days) * dayMs + chance.whole(dayMs));
  switch (format) {
    case 'uuid':
      return madeUuid(chance);
    case 'date':
      return at.toISOString().slice(0, 10);
    case 'date-time':
      return at.toISOString();
    case 'uri':
      return `https://example.com/${chance.whole(100)}`;
    case undefined:
    default:
  }
  if (pattern !== undefined) return chance.one(samplesOf(pattern));
  // A schema does not say that a text is an amount or an address.
  if (chance.happens(amountShare)) return `${1 + chance.whole(500)}.${chance.whole(100)}`;
  if (chance.happens(addressShare)) return `user${chance.whole(100)}@example.com`;
  const length = Math.max(minLength, chance.whole(Math.min(maxLength, longestText) + 1));
  return Array.from({ length }, () => chance.one(letters)).join('');
}

const letters = ['🙂', ...Array.from('abcdefghijklmnopqrstuvwxyz0123456789 -_.é')];

const madeUuid = (chance: Chance) => {
  const hex = (length: number) => Array.from({ length }, () => chance.whole(16).toString(16)).join('');
  return `${hex(8)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
};

function madeNumber({ type, minimum, maximum, exclusiveMinimum, multipleOf }: Schema, chance: Chance) {
  // An integer without a limit has that of its type.
  const isLimited = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER;
  const least = isLimited ? minimum : exclusiveMinimum === undefined ? 0 : exclusiveMinimum + 1;
  const range = Math.min(Math.max((maximum ?? least + 100) - least, 0), 1_000);
  const value = least + chance.below(range + 1);
  if (multipleOf !== undefined && type !== 'integer') return Math.floor(value / multipleOf) * multipleOf;
  return type === 'integer' ? Math.min(Math.floor(value), maximum ?? Infinity) : value;
}

const compiled = new Map<string, RegExp>();
function patternOf(pattern: string) {
  const found = compiled.get(pattern) ?? new RegExp(pattern, 'u');
  compiled.set(pattern, found);
  return found;
}

const sampled = new Map<string, string[]>();
function samplesOf(pattern: string) {
  const found =
    sampled.get(pattern) ?? fc.sample(fc.stringMatching(patternOf(pattern)), { seed: 1, numRuns: samplesOfPattern });
  sampled.set(pattern, found);
  return found;
}
