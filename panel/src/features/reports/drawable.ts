/** The characters of Windows-1252 outside Latin-1. The standard PDF fonts have them. */
const alsoDrawn = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');

/** Replaces line breaks and control characters with a space, because a cell is one paragraph. */
export const inOneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ');

/** Whether the standard PDF fonts have all characters of a text. */
export const isPlain = (text: string) =>
  Array.from(text).every(
    (letter) => (letter >= ' ' && letter <= '~') || (letter >= '\u00a1' && letter <= 'ÿ') || alsoDrawn.has(letter),
  );
