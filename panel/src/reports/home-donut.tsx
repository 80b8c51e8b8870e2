import { sum } from 'd3-array';
import { arc, pie, type PieArcDatum } from 'd3-shape';
import { sayCount } from '#panel/ui/table/view.ts';
import { sayAll } from './home-words.ts';

type Slice = { name: string; count: number };

const sizePx = 168;
const outer = sizePx / 2;

const inOrder = pie<Slice>()
  .value(({ count }) => count)
  .sort(null)
  .padAngle(0.03);
const ring = arc<PieArcDatum<Slice>>()
  .innerRadius(outer - 26)
  .outerRadius(outer)
  .cornerRadius(3);

export function Donut({ label, slices }: { label: string; slices: readonly Slice[] }) {
  const all = sum(slices, ({ count }) => count);
  const share = (count: number) => (all === 0 ? '0 %' : `${Math.round((100 * count) / all)} %`);
  return (
    <figure className="home-donut" aria-label={sayAll(label, slices)}>
      <svg width={sizePx} height={sizePx} viewBox={`${-outer} ${-outer} ${sizePx} ${sizePx}`} aria-hidden>
        <circle className="chart-track" r={outer - 13} strokeWidth={26} />
        {all > 0 &&
          inOrder([...slices]).map((slice, index) => (
            <path key={slice.data.name} className="chart-slice" data-series={index + 1} d={ring(slice) ?? ''}>
              <title>{`${slice.data.name}: ${sayCount(slice.data.count)}`}</title>
            </path>
          ))}
        <text className="chart-total" textAnchor="middle" dy="0.05em">
          {sayCount(all)}
        </text>
        <text className="chart-total-name" textAnchor="middle" dy="1.9em">
          in all
        </text>
      </svg>
      <ul className="home-legend">
        {slices.map(({ name, count }, index) => (
          <li key={name} className="home-legend-item">
            <span className="home-legend-mark" data-series={index + 1} aria-hidden />
            <span>{name}</span>
            <span className="home-legend-share">{share(count)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
