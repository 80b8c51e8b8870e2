/** The fifth percentile approximates an otherwise idle machine. */
export type Summary = { p5: number; p50: number; p95: number };

export function summarize(samples: number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => rounded(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN);
  return { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
}

export const rounded = (value: number) => Math.round(value * 1000) / 1000;
