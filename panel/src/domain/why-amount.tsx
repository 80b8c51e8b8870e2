import { explainLine } from 'contract/explain.ts';
import { type RunLine, skipText } from 'contract/runs-lines.ts';
import type { Run, RunDetail } from 'contract/runs.ts';
import { AlignedAmounts } from '#panel/ui/aligned-amounts.tsx';
import { moneyIn } from '#panel/ui/amount.tsx';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import './why-amount.css';
import type { Explanation } from 'contract/explanation.ts';

type Props = { run: Pick<Run, 'kind' | 'asset' | 'reverses'>; line: RunLine } & Pick<RunDetail, 'settings' | 'inputs'>;

/** Shows how every amount of a line was calculated from its inputs. */
export function WhyAmount({ run, line, settings, inputs }: Props) {
  if (run.reverses !== null) return <Reversal run={run} line={line} />;
  const computed = line.skip === null || line.skip === 'nothing';
  return (
    <>
      {line.skip !== null && (
        <p className="why-skip">
          Skipped: <strong>{skipText[line.skip]}</strong>. Nothing is paid.
        </p>
      )}
      {computed && <Steps steps={explainLine({ kind: run.kind, line, settings, inputs })} />}
    </>
  );
}

function Steps({ steps }: { steps: readonly Explanation[] }) {
  return (
    <AlignedAmounts amounts={steps.map(moneyIn)} named>
      <dl className="why">
        {steps.map(({ name, formula, rounding, amount, asset }) => (
          <div key={name} className="why-step">
            <dt className="why-name">{name}</dt>
            <dd className="why-amount">
              <AssetAmount amount={amount} asset={asset} />
            </dd>
            <dd className="why-formula">
              {formula}
              {rounding !== null && <span className="why-rounding">{rounding}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </AlignedAmounts>
  );
}

const names = [
  ['base', 'Reward'],
  ['bonus', 'Bonus'],
  ['loyalty', 'Loyalty set aside'],
  ['closing', 'Loyalty paid'],
] as const;

/** A reversal calculates nothing: it reverses the posted amounts. */
function Reversal({ run: { asset }, line }: Pick<Props, 'run' | 'line'>) {
  if (line.skip !== null)
    return (
      <p className="why-skip">
        Skipped: <strong>{skipText[line.skip]}</strong>. Nothing is reversed.
      </p>
    );
  const steps = names
    .filter(([part]) => /[1-9]/.test(line[part]))
    .map(([part, name]) => ({
      name,
      amount: `-${line[part]}`,
      asset,
      formula: 'what was posted and not reversed since',
      rounding: null,
    }));
  return <Steps steps={steps} />;
}
