/** Creates a formatter on first use, because that takes milliseconds and would delay loading the page. */
export function onFirstUse<Formatter extends object>(make: () => Formatter) {
  let made: Formatter | undefined;
  return () => (made ??= make());
}

/** Adds thousands separators to the digits of a whole number. */
export const groupThousands = (digits: string) => digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');
