import { useElementSize } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { heightPx, margin } from './home-scale.ts';
import { formatShort } from './home-text.ts';

type PlotProps = {
  label: string;
  marks: readonly number[];
  y: (count: number) => number;
  children: (width: number) => ReactNode;
};

/** Narrower than this it cannot be read; a page that is being resized can pass through any width. */
const leastWidth = 120;

/** The ground of a chart, drawn in the pixels it has: letters keep their size on every screen. */
export function Plot({ label, marks, y, children }: PlotProps) {
  const { ref, width } = useElementSize();
  return (
    <figure ref={ref} className="home-plot" aria-label={label}>
      {width >= leastWidth && (
        <svg width={width} height={heightPx} aria-hidden>
          {marks.map((mark) => (
            <g key={mark}>
              <line className="chart-grid" x1={margin.left} x2={width - margin.right} y1={y(mark)} y2={y(mark)} />
              <text className="chart-mark" x={margin.left - 10} y={y(mark)} dy="0.32em" textAnchor="end">
                {formatShort(mark)}
              </text>
            </g>
          ))}
          {children(width)}
        </svg>
      )}
    </figure>
  );
}
