import { arc } from 'd3-shape';
import { formatCount } from '#panel/ui/table/view.ts';

const sizePx = 188;
const outer = sizePx / 2;
const thick = 16;

const ring = arc<number>()
  .innerRadius(outer - thick)
  .outerRadius(outer)
  .cornerRadius(thick / 2)
  .startAngle(0)
  .endAngle((percent) => (percent / 100) * 2 * Math.PI);

type GaugeProps = { percent: number; active: number; users: number };

export function Gauge({ percent, active, users }: GaugeProps) {
  const text = `${formatCount(active)} of ${formatCount(users)} users`;
  return (
    <figure className="home-gauge" aria-label={`Engagement: ${percent} percent, ${text}`}>
      <svg width={sizePx} height={sizePx} viewBox={`${-outer} ${-outer} ${sizePx} ${sizePx}`} aria-hidden>
        <circle className="chart-track" r={outer - thick / 2} strokeWidth={thick} />
        {percent > 0 && <path className="chart-gauge" d={ring(percent) ?? ''} />}
        <text className="chart-percent" textAnchor="middle" dy="0.34em">
          {percent}
          <tspan className="chart-percent-sign" dx="2">
            %
          </tspan>
        </text>
      </svg>
      <p className="home-gauge-text">{text}</p>
    </figure>
  );
}
