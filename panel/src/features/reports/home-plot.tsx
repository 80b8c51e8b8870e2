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

/** A narrower chart is unreadable and not drawn. Resizing can produce any width. */
const leastWidth = 120;

/** The frame of a chart. Draws in real pixels, so that text keeps its size on every screen. */
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
