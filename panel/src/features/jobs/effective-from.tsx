import { TextInput } from '@mantine/core';
import { useDisabledReason } from './job-foot.tsx';

type Props = {
  draft: { effectiveFrom: string; chooseDay: (day: string) => void };
  /** When settings apply that are saved without a day. */
  otherwise: string;
};

/** The day from which settings apply. A day in the past corrects days that are reversed and planned again. */
export function EffectiveFrom({ draft: { effectiveFrom, chooseDay }, otherwise }: Props) {
  const denied = useDisabledReason();
  return (
    <TextInput
      label="Takes effect on"
      description={
        effectiveFrom === ''
          ? `Optional. ${otherwise}`
          : 'Applies to this day (UTC) and later ones, after a second approval. Days that are already paid change only if they are reversed and planned again.'
      }
      type="date"
      name="effectiveFrom"
      value={effectiveFrom}
      disabled={denied !== undefined}
      onChange={(event) => chooseDay(event.currentTarget.value)}
    />
  );
}
