/** Outside Latin-1, the letters that the fonts of every PDF reader have: Windows-1252. */
const alsoDrawn = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');

/** A cell is one paragraph: line breaks and control characters are blanks. */
export const inOneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ');

/** Whether the fonts of every PDF reader have all letters of a text. */
export const isPlain = (text: string) =>
  Array.from(text).every(
    (letter) => (letter >= ' ' && letter <= '~') || (letter >= '\u00a1' && letter <= 'ÿ') || alsoDrawn.has(letter),
  );
