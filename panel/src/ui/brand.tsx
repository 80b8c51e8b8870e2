import './brand.css';

/** Two ledger pages bound at one spine: a B. */
function Mark() {
  return (
    <svg className="brand-mark" width={28} height={28} viewBox="0 0 32 32" aria-hidden="true">
      <rect className="brand-mark-ground" width="32" height="32" rx="8" />
      <path className="brand-mark-line" d="M9 8.5h8.25a4 4 0 0 1 0 8H9z" />
      <path className="brand-mark-line" d="M9 16.5h9.5a3.75 3.75 0 0 1 0 7.5H9" />
      <path className="brand-mark-spine" d="M9 16.5V24" />
    </svg>
  );
}

export function Logo() {
  return (
    <span className="brand-logo">
      <Mark />
      <span>Bursar</span>
    </span>
  );
}
