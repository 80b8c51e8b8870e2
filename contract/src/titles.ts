/** Returns "Reversal of stake payout". An abbreviation at the start keeps its capitals. */
export const reversalTitle = (title: string) =>
  `Reversal of ${title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`;
