import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { promisify } from 'node:util';

const changedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Builds the panel unless the build is newer than its sources, so that tests run what is shipped. */
export async function buildPanelIfOlder() {
  const sources = globSync(['panel/src/**/*.*', 'panel/public/*', 'panel/*.{html,ts,json}', 'contract/src/**/*.ts']);
  const newest = Math.max(...sources.map(changedAt));
  if (changedAt('panel/dist/index.html') > newest) return;
  console.log('Building the panel …');
  await promisify(execFile)('vite', ['build', 'panel']);
}
