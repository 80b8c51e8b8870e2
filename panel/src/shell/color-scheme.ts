import type { MantineColorSchemeManager } from '@mantine/core';

const themeKey = 'theme';
type Scheme = 'light' | 'dark';

const stored = (): Scheme => (localStorage.getItem(themeKey) === 'dark' ? 'dark' : 'light');

/** Returns whether a theme was chosen in this browser. */
export const hasChosenTheme = () => localStorage.getItem(themeKey) !== null;

/** Sets the theme on the body, where components that draw by themselves, such as charts, read it. */
function flagBody(scheme: Scheme) {
  document.body.dataset['theme'] = scheme;
  document.body.classList.toggle('dark-mode', scheme === 'dark');
}

let stopListening: (() => void) | undefined;

export const colorSchemeManager: MantineColorSchemeManager = {
  get() {
    const scheme = stored();
    flagBody(scheme);
    return scheme;
  },
  set(scheme) {
    const chosen = scheme === 'dark' ? 'dark' : 'light';
    localStorage.setItem(themeKey, chosen);
    flagBody(chosen);
  },
  subscribe(onUpdate) {
    const onStorage = ({ key }: StorageEvent) => {
      if (key !== themeKey) return;
      flagBody(stored());
      onUpdate(stored());
    };
    window.addEventListener('storage', onStorage);
    stopListening = () => window.removeEventListener('storage', onStorage);
  },
  unsubscribe: () => stopListening?.(),
  clear: () => localStorage.removeItem(themeKey),
};
