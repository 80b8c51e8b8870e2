import { cellPadding, fontSize, ink, userWidth } from './pdf-style.ts';

/** A text drawn by the browser, because the standard PDF fonts lack its characters. Lengths are in points. */
export type TextPicture = { text: string; width: number; height: number; jpeg: Uint8Array<ArrayBuffer> };

/** Pixels per point, sharp in print at 300 dpi. */
const scale = 4;
const lineHeight = 12.5;
/** The distance from the top of a line to its baseline. */
const baseline = 9.5;
const widest = userWidth - 2 * cellPadding;

const panelFont = 'Inter Variable';

/** The panel's font covers Latin, Greek and Cyrillic. Scripts not listed here fall back to the fonts of the device. */
const otherFonts = [
  {
    family: 'Noto Sans Arabic Variable',
    letters: /\p{scx=Arabic}/gu,
    declare: () => import('@fontsource-variable/noto-sans-arabic/wght.css'),
  },
  {
    family: 'Noto Sans SC Variable',
    letters: /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/gu,
    declare: () => import('@fontsource-variable/noto-sans-sc/wght.css'),
  },
];

const inSize = (fonts: string) => `400 ${fontSize * scale}px ${fonts}`;
const families = [panelFont, ...otherFonts.map(({ family }) => family)].map((family) => `"${family}"`);
const everyFont = inSize([...families, 'sans-serif'].join(', '));

/** Draws the texts with the browser's text shaping, so that Arabic is joined and runs from right to left. */
export async function drawTexts(texts: readonly string[]): Promise<TextPicture[]> {
  await loadFonts(texts.join(' '));
  return Promise.all(texts.map(drawText));
}

/** Loads a font for the first text that needs it, and only the files with the characters of the text. */
async function loadFonts(text: string) {
  let rest = text;
  for (const { family, letters, declare } of otherFonts) {
    const theirs = text.match(letters)?.join('');
    if (theirs === undefined) continue;
    await declare();
    await document.fonts.load(inSize(`"${family}"`), theirs);
    rest = rest.replaceAll(letters, '');
  }
  await document.fonts.load(inSize(`"${panelFont}"`), rest);
}

async function drawText(text: string): Promise<TextPicture> {
  const ruler = contextOf(new OffscreenCanvas(1, 1));
  const widthOf = (line: string) => ruler.measureText(line).width / scale;
  const lines = linesOf(text, (line) => widthOf(line) <= widest);
  const width = Math.max(1, ...lines.map(widthOf));
  const height = lines.length * lineHeight;

  const canvas = new OffscreenCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const context = contextOf(canvas);
  // A JPEG has no transparency, and the PDF page is white.
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = `rgb(${ink.join(' ')})`;
  for (const [index, line] of lines.entries()) context.fillText(line, 0, (index * lineHeight + baseline) * scale);
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.92 });
  return { text, width: canvas.width / scale, height, jpeg: new Uint8Array(await blob.arrayBuffer()) };
}

function contextOf(canvas: OffscreenCanvas) {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser cannot draw text.');
  context.font = everyFont;
  return context;
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Breaks lines between words, and within a word only if it is longer than a line. */
function linesOf(text: string, fits: (line: string) => boolean) {
  const lines: string[] = [];
  let line = '';
  for (const { segment: word } of words.segment(text.trim())) {
    for (const piece of fits(word) ? [word] : Array.from(letters.segment(word), ({ segment }) => segment)) {
      if (line !== '' && !fits(line + piece)) {
        lines.push(line.trimEnd());
        line = '';
      }
      line += line === '' ? piece.trimStart() : piece;
    }
  }
  return [...lines, line];
}
