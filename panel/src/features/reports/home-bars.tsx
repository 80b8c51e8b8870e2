import { formatCount } from '#panel/ui/table/view.ts';
import { Plot } from './home-plot.tsx';
import { baselinePx, heightPx, heightScale, margin } from './home-scale.ts';
import { formatFigures } from './home-text.ts';

type Bar = { name: string; count: number };

const widestPx = 56;
const cornerPx = 4;

export function BarChart({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const { y, marks } = heightScale(bars);
  return (
    <Plot label={formatFigures(label, bars)} marks={marks} y={y}>
      {(width) => <Bars bars={bars} y={y} width={width} />}
    </Plot>
  );
}

function Bars({ bars, y, width }: { bars: readonly Bar[]; y: (count: number) => number; width: number }) {
  const spacing = (width - margin.left - margin.right) / Math.max(1, bars.length);
  const thick = Math.min(widestPx, spacing * 0.6);
  return bars.map(({ name, count }, index) => {
    const middle = margin.left + spacing * (index + 0.5);
    return (
      <g key={name} className="chart-bar">
        <path className="chart-column" d={column({ left: middle - thick / 2, top: y(count), thick })} />
        <text className="chart-value" x={middle} y={y(count) - 8} textAnchor="middle">
          {formatCount(count)}
        </text>
        <text className="chart-name" x={middle} y={heightPx - 6} textAnchor="middle">
          {name}
        </text>
      </g>
    );
  });
}

/** The path of a bar with rounded corners at the top and square ones at the baseline. */
function column({ left, top, thick }: { left: number; top: number; thick: number }) {
  const corner = Math.min(cornerPx, baselinePx - top);
  return [
    `M${left},${baselinePx}V${top + corner}`,
    `Q${left},${top} ${left + corner},${top}`,
    `H${left + thick - corner}`,
    `Q${left + thick},${top} ${left + thick},${top + corner}`,
    `V${baselinePx}Z`,
  ].join('');
}
