import { useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { readSettings } from 'contract/settings.ts';
import { useEffect, useState } from 'react';
import { hasChosenTheme } from './color-scheme.ts';
import { queryFor } from './query.ts';

/** Applies the theme that the administrator saved elsewhere, unless one was chosen in this browser. */
export function useSavedTheme() {
  const { setColorScheme } = useMantineColorScheme();
  const [chosenHere] = useState(hasChosenTheme);
  const { data } = useQuery({ ...queryFor(readSettings, {}), enabled: !chosenHere });
  useEffect(() => {
    if (data && data.settings.version > 0 && !hasChosenTheme()) setColorScheme(data.settings.theme);
  }, [data, setColorScheme]);
}
