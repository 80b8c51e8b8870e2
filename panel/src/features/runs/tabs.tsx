import { Link } from '@tanstack/react-router';
import '#panel/ui/tabs.css';

/** Switches between the list and the calendar. */
export function RunTabs() {
  return (
    <nav className="tabs" aria-label="Runs">
      <Link to="/dashboard/runs" activeOptions={{ exact: true, includeSearch: false }} className="tab">
        List
      </Link>
      <Link to="/dashboard/runs/calendar" activeOptions={{ includeSearch: false }} className="tab">
        Calendar
      </Link>
    </nav>
  );
}
