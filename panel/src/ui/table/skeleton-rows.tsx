import { Skeleton } from '#panel/ui/states.tsx';
import type { ColumnLayout } from './features.ts';
import './table.css';

type Props = { columns: readonly { id: string; layout: ColumnLayout }[] };

const rows = ['82%', '64%', '90%', '55%', '76%', '68%', '86%', '60%'];

/** Placeholder rows as high as real ones, so that nothing moves when those are loaded. */
export function SkeletonRows({ columns }: Props) {
  return (
    <tbody aria-hidden>
      {rows.map((width) => (
        <tr key={width} className="table-row">
          {columns.map(({ id, layout }) => (
            <td key={id} className="table-cell">
              <Skeleton width={layout.flex ? width : '60%'} height={12} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
