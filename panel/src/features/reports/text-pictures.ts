import { cellPadding, fontSize, ink, userWidth } from './pdf-style.ts';

/** A text as the browser draws it, for what the fonts of a PDF reader cannot draw. Lengths are in points. */
export type TextPicture = { text: string; width: number; height: number; jpeg: Uint8Array<ArrayBuffer> };

/** Pixels for each point: sharp when it is printed at 300 dots an inch. */
const scale = 4;
const lineHeight = 12.5;
/** From the top of a line to the foot of its letters. */
const baseline = 9.5;
const widest = userWidth - 2 * cellPadding;

const panelFont = 'Inter Variable';

/** The panel's own font has Latin, Greek and Cyrillic letters; for scripts not named here the device may have a font. */
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

/** The browser shapes and orders the letters: Arabic is joined and runs from right to left. */
export async function drawTexts(texts: readonly string[]): Promise<TextPicture[]> {
  await loadFonts(texts.join(' '));
  return Promise.all(texts.map(drawText));
}

/** Fetched for the first text that needs them, and of each font only the files that hold its letters. */
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
  // A JPEG is never see-through, and the page of a PDF is white.
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

/** Broken between words, and within a word only where it is longer than a line. */
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
