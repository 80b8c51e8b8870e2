import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** The files that the first visit to a screen needs, beside those that the page itself names. */
export type Preload = { address: string; scripts: string[]; styles: string[] };

const Chunk = z.object({
  file: z.string(),
  name: z.string().optional(),
  imports: z.array(z.string()).default([]),
  css: z.array(z.string()).default([]),
  isEntry: z.boolean().default(false),
});
type Manifest = z.output<typeof Manifest>;
const Manifest = z.record(z.string(), Chunk);

const dashboard = '/dashboard';
/** The chunk that every screen needs (vite.config.ts). */
const frame = 'frame';

/** Returns the screens of the dashboard and their modules, from the source text of routes.tsx. */
export function screensIn(routes: string) {
  const screen =
    /getParentRoute: \(\) => dashboard,\s+path: '([^']+)',(?:(?!createRoute)[\s\S])*?import\('\.\/([^']+)'\)/g;
  return [...routes.matchAll(screen)].map(([, address = '', module = '']) => ({
    address: address === '/' ? dashboard : `${dashboard}${address}`,
    module: `src/${module}`,
  }));
}

/** Returns every chunk that the given modules import statically, including their own. */
function closureOf(manifest: Manifest, modules: readonly string[]) {
  const found = new Map<string, Manifest[string]>();
  const visit = (name: string) => {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`The build has no chunk for ${name}.`);
    if (found.has(name)) return;
    found.set(name, chunk);
    for (const imported of chunk.imports) visit(imported);
  };
  for (const module of modules) visit(module);
  return found;
}

export function preloadsOf(manifest: Manifest, routes: string): Preload[] {
  const entries = Object.keys(manifest).filter((name) => manifest[name]?.isEntry);
  const inPage = closureOf(manifest, entries);
  const frames = Object.keys(manifest).filter((name) => manifest[name]?.name === frame);
  if (frames.length === 0) throw new Error('The build has no chunk for the frame.');
  return screensIn(routes).map(({ address, module }) => {
    const chunks = [...closureOf(manifest, [...frames, module])].filter(([name]) => !inPage.has(name));
    return {
      address,
      scripts: chunks.map(([, { file }]) => `/${file}`),
      styles: [...new Set(chunks.flatMap(([, { css }]) => css))].map((file) => `/${file}`),
    };
  });
}

/** Writes preloads.json beside the built page, from which the server adds preloads to the page. */
export async function writePreloads(root: string, folder: string) {
  const manifest = Manifest.parse(JSON.parse(await readFile(path.join(folder, '.vite/manifest.json'), 'utf8')));
  const routes = await readFile(path.join(root, 'src/routes.tsx'), 'utf8');
  await writeFile(path.join(folder, '.vite/preloads.json'), JSON.stringify(preloadsOf(manifest, routes)));
}
