/** The browser takes milliseconds to make a formatter, so none is made while the page still loads. */
export function onFirstUse<Formatter extends object>(make: () => Formatter) {
  let made: Formatter | undefined;
  return () => (made ??= make());
}

/** The digits of a whole number, thousands apart. */
export const groupThousands = (digits: string) => digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');
