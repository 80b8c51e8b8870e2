import { Link } from '@tanstack/react-router';

/** Switches between the list and the calendar. */
export function RunTabs() {
  return (
    <nav className="run-tabs" aria-label="Runs">
      <Link to="/dashboard/runs" activeOptions={{ exact: true, includeSearch: false }} className="run-tab">
        List
      </Link>
      <Link to="/dashboard/runs/calendar" activeOptions={{ includeSearch: false }} className="run-tab">
        Calendar
      </Link>
    </nav>
  );
}
