/** Backdates the default settings to the time of the installation. */
export const installJobsAsOf = 'update job_settings set saved_at = $1';
