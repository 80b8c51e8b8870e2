import './check-box.css';

type CheckBoxProps = {
  label: string;
  /** Hides the label where the column explains the boxes. Screen readers still read it. */
  labelHidden?: boolean;
  className?: string | undefined;
  checked: boolean;
  indeterminate?: boolean;
  disabled?: boolean;
  /** Receives whether Shift was held, which selects everything in between. */
  onToggle: (range: boolean) => void;
};

export function CheckBox({ label, labelHidden = false, className, indeterminate = false, ...box }: CheckBoxProps) {
  const { checked, disabled = false, onToggle } = box;
  return (
    <label className={['check-box', className].filter(Boolean).join(' ')}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        {...(labelHidden && { 'aria-label': label })}
        // `indeterminate` has no HTML attribute: only a script can set it.
        ref={(input) => {
          if (input) input.indeterminate = indeterminate;
        }}
        onChange={({ nativeEvent }) => onToggle(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
      />
      {!labelHidden && label}
    </label>
  );
}
