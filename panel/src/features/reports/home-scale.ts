import { max, ticks } from 'd3-array';

export const heightPx = 240;
export const margin = { top: 24, right: 4, bottom: 28, left: 40 };
export const baselinePx = heightPx - margin.bottom;

type Figure = { name: string; count: number };

/** Returns a scale from 0 to the next round figure and its integer ticks. The scale never has zero height. */
export function heightScale(figures: readonly Figure[]) {
  const highest = Math.max(1, max(figures, ({ count }) => count) ?? 1);
  const step = ticks(0, highest, 4)[1] ?? 1;
  const top = Math.ceil(highest / step) * step;
  const marks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step);
  const y = (count: number) => baselinePx - (count / top) * (baselinePx - margin.top);
  return { y, marks: marks.filter(Number.isInteger) };
}
