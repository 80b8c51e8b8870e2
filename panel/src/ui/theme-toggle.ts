import { useMantineColorScheme } from '@mantine/core';

export function useThemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isDark = colorScheme === 'dark';
  return {
    isDark,
    /** Names the theme that a press switches to. */
    label: isDark ? 'Light mode' : 'Dark mode',
    toggle: () => setColorScheme(isDark ? 'light' : 'dark'),
  };
}
