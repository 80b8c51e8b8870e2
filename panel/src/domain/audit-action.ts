/** The area of the product for each prefix of an action. */
const areas: Record<string, string> = {
  admins: 'Administrators',
  approvals: 'Approvals',
  audit: 'Audit log',
  auth: 'Sign-in',
  imports: 'Import',
  integrations: 'Integrations',
  jobs: 'Scheduled jobs',
  ledger: 'Ledger',
  maintenance: 'Maintenance',
  referrals: 'Referrals',
  reports: 'Reports',
  runs: 'Runs',
  settings: 'Settings',
  staking: 'Staking',
  tasks: 'Tasks',
  tickets: 'Tickets',
  users: 'Users',
  withdrawals: 'Withdrawals',
};

/** The actions whose code does not say enough when its dashes are replaced by spaces. */
export const sentences: Record<string, string> = {
  'admins.ask': 'Change requested',
  'approvals.limit': 'Limit change requested',
  'auth.denied': 'Calls denied',
  'auth.change-password-refused': 'Password change refused',
  'jobs.ask': 'Settings change requested',
  'jobs.save': 'Settings saved',
  'ledger.ask-adjustment': 'Adjustment requested',
  'ledger.ask-write-off': 'Write-off requested',
  'referrals.ask-repair': 'Repair requested',
  'runs.ask': 'Start requested',
  'runs.refuse': 'Payment refused',
  'settings.save': 'Own settings saved',
  'staking.ask-to-offer-plan': 'Plan offer requested',
  'tasks.ask': 'Reward requested',
  'withdrawals.ask': 'Approval requested',
  'withdrawals.ask-failure': 'Failure requested',
  'withdrawals.ask-settings': 'Settings change requested',
};

const inSentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const featureOfAction = (action: string) => action.split('.')[0] ?? action;

/** Returns the area of the panel that an action belongs to: "Tickets". */
export const formatArea = (feature: string) => areas[feature] ?? inSentenceCase(feature);

/** Returns what was done within its area: "Set status". */
export const formatAction = (action: string) =>
  sentences[action] ?? inSentenceCase(action.replace(/^[^.]*\./, '').replaceAll('-', ' '));
