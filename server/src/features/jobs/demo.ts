/** The settings that an installation starts with were saved when it was installed. */
export const installJobsAsOf = 'update job_settings set saved_at = $1';
