import { useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { readSettings } from 'contract/settings.ts';
import { useEffect, useState } from 'react';
import { hasChosenTheme } from './color-scheme.ts';
import { queryFor } from './query.ts';

/** A browser in which nobody has chosen a theme takes the one that its administrator saved elsewhere. */
export function useSavedTheme() {
  const { setColorScheme } = useMantineColorScheme();
  const [chosenHere] = useState(hasChosenTheme);
  const { data } = useQuery({ ...queryFor(readSettings, {}), enabled: !chosenHere });
  useEffect(() => {
    if (data && data.settings.version > 0 && !hasChosenTheme()) setColorScheme(data.settings.theme);
  }, [data, setColorScheme]);
}
