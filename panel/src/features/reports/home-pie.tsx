import { sum } from 'd3-array';
import { arc, pie, type PieArcDatum } from 'd3-shape';
import { formatCount } from '#panel/ui/table/view.ts';
import { formatFigures } from './home-text.ts';

type Slice = { name: string; count: number };

const sizePx = 176;
const radius = sizePx / 2;

const inOrder = pie<Slice>()
  .value(({ count }) => count)
  .sort(null);
const wedge = arc<PieArcDatum<Slice>>()
  .innerRadius(0)
  // The stroke between two slices extends half its width beyond them.
  .outerRadius(radius - 1);

export function Pie({ label, slices }: { label: string; slices: readonly Slice[] }) {
  const all = sum(slices, ({ count }) => count);
  const share = (count: number) => (all === 0 ? '0%' : `${Math.round((100 * count) / all)}%`);
  return (
    <figure className="home-pie" aria-label={formatFigures(label, slices)}>
      <svg width={sizePx} height={sizePx} viewBox={`${-radius} ${-radius} ${sizePx} ${sizePx}`} aria-hidden>
        {all === 0 && <circle className="chart-track" r={radius - 1} />}
        {all > 0 &&
          inOrder([...slices]).map((slice, index) => (
            <path key={slice.data.name} className="chart-slice" data-series={index + 1} d={wedge(slice) ?? ''}>
              <title>{`${slice.data.name}: ${formatCount(slice.data.count)}`}</title>
            </path>
          ))}
      </svg>
      <div className="home-legend">
        <ul className="home-legend-items">
          {slices.map(({ name, count }, index) => (
            <li key={name} className="home-legend-item">
              <span className="home-legend-mark" data-series={index + 1} aria-hidden />
              <span>{name}</span>
              <span className="home-legend-share">{share(count)}</span>
            </li>
          ))}
        </ul>
        <p className="home-legend-total">
          Total <span>{formatCount(all)}</span>
        </p>
      </div>
    </figure>
  );
}
