/** Outside Latin-1, the letters that the fonts of every PDF reader have: Windows-1252. */
const alsoDrawn = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');

/** As it can be drawn without a font of our own: line breaks are blanks, and what no reader has is a question mark. */
export function drawable(text: string) {
  return Array.from(text.replaceAll(/[\s\p{Cc}]+/gu, ' '), (letter) =>
    (letter >= ' ' && letter <= '~') || (letter >= '\u00a1' && letter <= 'ÿ') || alsoDrawn.has(letter) ? letter : '?',
  ).join('');
}
