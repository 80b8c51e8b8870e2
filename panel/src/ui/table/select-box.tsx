import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox } from '@mantine/core';
import { selectBoxClass } from './row-keys.ts';

type Props = {
  label: string;
  checked: boolean;
  indeterminate?: boolean;
  disabled?: boolean;
  /** Told whether Shift was held, which selects everything in between. */
  onToggle: (range: boolean) => void;
};

export function SelectBox({ label, checked, indeterminate = false, disabled = false, onToggle }: Props) {
  return (
    <Checkbox
      aria-label={label}
      className={selectBoxClass}
      checked={checked}
      indeterminate={indeterminate}
      disabled={disabled}
      onChange={({ nativeEvent }) => onToggle(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  );
}
