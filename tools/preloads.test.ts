import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { preloadsOf, screensIn } from '../panel/preloads.ts';

const routes = await readFile(new URL('../panel/src/routes.tsx', import.meta.url), 'utf8');

test('every screen of the dashboard is found in the routes, with its module', () => {
  const screens = screensIn(routes);
  const declared = routes.match(/getParentRoute: \(\) => dashboard,/g)?.length ?? 0;
  expect(screens).toHaveLength(declared);
  expect(screens).toContainEqual({ address: '/dashboard', module: 'src/features/reports/home.tsx' });
  expect(screens).toContainEqual({ address: '/dashboard/user-profile/$id', module: 'src/features/users/profile.tsx' });
});

test('a build without a chunk for the frame is refused, not served without its preloads', () => {
  const page = { file: 'front.js', imports: [], css: [], isEntry: true };
  expect(() => preloadsOf({ 'index.html': page }, '')).toThrow('no chunk for the frame');
});

test('a screen preloads its own chunks and the frame’s, but nothing that the page already loads', () => {
  const chunk = (file: string, imports: string[] = [], css: string[] = []) => ({ file, imports, css, isEntry: false });
  const manifest = {
    'index.html': { ...chunk('front.js', ['_react.js']), isEntry: true },
    '_react.js': chunk('react.js'),
    '_table.js': chunk('table.js', ['_react.js'], ['table.css']),
    '_calls.js': chunk('calls.js', ['index.html']),
    '_frame.js': { ...chunk('frame.js', ['index.html', '_calls.js'], ['frame.css']), name: 'frame' },
    'src/features/users/page.tsx': chunk('users.js', ['_table.js', '_frame.js'], ['users.css']),
  };
  const source = `createRoute({
    getParentRoute: () => dashboard,
    path: '/users',
    component: lazyRouteComponent(() => import('./features/users/page.tsx'), 'UsersPage'),
  })`;
  expect(preloadsOf(manifest, source)).toEqual([
    {
      address: '/dashboard/users',
      scripts: ['/frame.js', '/calls.js', '/users.js', '/table.js'],
      styles: ['/frame.css', '/users.css', '/table.css'],
    },
  ]);
});
