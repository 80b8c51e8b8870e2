import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

const lightShade = 8;
const darkShade = 4;

const brand: MantineColorsTuple = [
  '#e4f1ea',
  '#d0e9dd',
  '#a9dcc6',
  '#6fd0ad',
  '#3bc495',
  '#55cfa5',
  '#178c68',
  '#0f8362',
  '#0b7a5b',
  '#086248',
];

const red: MantineColorsTuple = [
  '#fcefec',
  '#f9dfda',
  '#f3bfb7',
  '#f59a91',
  '#f0756a',
  '#f48b81',
  '#d5473b',
  '#cc3e32',
  '#c2362b',
  '#a92a20',
];

/** Warm paper: the neutrals of the light theme. */
const gray: MantineColorsTuple = [
  '#faf8f4',
  '#f3f0e9',
  '#e7e2d8',
  '#dcd6ca',
  '#cfc8ba',
  '#8f8a7d',
  '#6b6e65',
  '#595c54',
  '#363933',
  '#1d201c',
];

/** Green-black: the neutrals of the dark theme, from text to ground. */
const dark: MantineColorsTuple = [
  '#e6ede9',
  '#c4d0ca',
  '#a0b0a8',
  '#8a9b92',
  '#32423b',
  '#202c27',
  '#17211d',
  '#111916',
  '#0e1512',
  '#0b110f',
];

const textOnFilled: Record<string, string> = { brand: 'var(--on-brand)', red: 'var(--on-bad)' };

const textOnPage: Record<string, string> = {
  brand: 'var(--brand)',
  red: 'var(--bad-ink)',
  gray: 'var(--ink-quiet)',
};

/** The filled shades of the dark theme are light, so they need dark text. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  const color = input.color ?? 'brand';
  if (input.variant === 'filled') return { ...resolved, color: textOnFilled[color] ?? resolved.color };
  if (input.variant !== 'subtle') return resolved;
  return { ...resolved, color: textOnPage[color] ?? resolved.color, hover: 'var(--hover)' };
};

export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: { light: lightShade, dark: darkShade },
  colors: { brand, red, gray, dark },
  variantColorResolver,
  black: '#1d201c',
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  headings: { fontFamily: 'var(--sans)', fontWeight: '600' },
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  lineHeights: { xs: '1.4', sm: '1.43', md: '1.43', lg: '1.5', xl: '1.4' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
});

const semantic = {
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-bright': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-quiet)',
  '--mantine-color-placeholder': 'var(--ink-faint)',
  '--mantine-color-anchor': 'var(--brand)',
  '--mantine-color-error': 'var(--bad-ink)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-disabled': 'var(--disabled)',
  '--mantine-color-disabled-color': 'var(--ink-faint)',
  '--mantine-color-disabled-border': 'var(--line)',
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({ variables: {}, light: semantic, dark: semantic });
