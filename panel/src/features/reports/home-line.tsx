import { area, curveMonotoneX, line } from 'd3-shape';
import { useId } from 'react';
import { formatCount } from '#panel/ui/table/view.ts';
import { Plot } from './home-plot.tsx';
import { baselinePx, heightPx, heightScale, margin } from './home-scale.ts';
import { formatFigures } from './home-text.ts';

type Point = { name: string; count: number };

export function LineChart({ label, points }: { label: string; points: readonly Point[] }) {
  const { y, marks } = heightScale(points);
  return (
    <Plot label={formatFigures(label, points)} marks={marks} y={y}>
      {(width) => <Curve points={points} y={y} width={width} />}
    </Plot>
  );
}

type CurveProps = { points: readonly Point[]; y: (count: number) => number; width: number };

function Curve({ points, y, width }: CurveProps) {
  const fade = useId();
  const inset = 20;
  const step = (width - margin.left - margin.right - 2 * inset) / Math.max(1, points.length - 1);
  const x = (index: number) => margin.left + inset + index * step;
  const curve = line<Point>(
    (_, index) => x(index),
    ({ count }) => y(count),
  ).curve(curveMonotoneX);
  const ground = area<Point>(
    (_, index) => x(index),
    baselinePx,
    ({ count }) => y(count),
  ).curve(curveMonotoneX);
  return (
    <>
      <linearGradient id={fade} x1="0" y1="0" x2="0" y2="1">
        <stop className="chart-fade" offset="0" />
        <stop className="chart-faded" offset="1" />
      </linearGradient>
      <path fill={`url(#${fade})`} d={ground([...points]) ?? ''} />
      <path className="chart-line" d={curve([...points]) ?? ''} />
      {points.map(({ name, count }, index) => (
        <g key={name} className="chart-point">
          <rect className="chart-reach" x={x(index) - step / 2} y={0} width={step} height={heightPx} />
          <line className="chart-guide" x1={x(index)} x2={x(index)} y1={y(count)} y2={baselinePx} />
          <circle className="chart-dot" cx={x(index)} cy={y(count)} r={4} />
          <text className="chart-value" x={x(index)} y={y(count) - 12} textAnchor="middle">
            {formatCount(count)}
          </text>
          <text className="chart-name" x={x(index)} y={heightPx - 6} textAnchor="middle">
            {name}
          </text>
        </g>
      ))}
    </>
  );
}
