/** "Reversal of stake payout"; an abbreviation keeps its capitals. */
export const reversalTitle = (title: string) =>
  `Reversal of ${title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`;
