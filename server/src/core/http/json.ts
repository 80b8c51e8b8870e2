export type JsonLimits = { depth: number; nodes: number };

/** What a body may contain, unless its endpoint allows more nodes. */
export const jsonLimits: JsonLimits = { depth: 32, nodes: 10_000 };

const quote = 0x22;
const comma = 0x2c;
const opens = (code: number) => code === 0x5b || code === 0x7b;
const closes = (code: number) => code === 0x5d || code === 0x7d;
const isBlank = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/**
 * Returns whether a JSON text is nested deeper or has more values than allowed. It is checked before parsing: a parsed
 * value can overflow the stack of whatever walks it. The result for a text that is not JSON has no meaning, because the
 * parser refuses that text.
 */
export function exceedsJsonLimits(text: string, limits: JsonLimits) {
  let depth = 0;
  let nodes = 1;
  // An empty list or object contains no value, so its first value is counted when it is seen.
  let isEmpty = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isBlank(code)) continue;
    if ((isEmpty && !closes(code)) || code === comma) nodes += 1;
    isEmpty = opens(code);
    if (isEmpty) depth += 1;
    else if (closes(code)) depth -= 1;
    else if (code === quote) at = endOfString(text, at);
    if (depth > limits.depth || nodes > limits.nodes) return true;
  }
  return false;
}

/** Returns the position of the quote that ends the string, or the end of a text whose string does not end. */
function endOfString(text: string, start: number) {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text[before] === '\\') before -= 1;
    // An odd number of backslashes escapes the quote.
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}
