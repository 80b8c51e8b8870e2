-- The screen of the audit log narrows it by caller, feature, action, subject and time. Each index ends with the order of
-- the list, so that a page of any combination is read directly, however rare its rows are. Times can be equal, and the
-- clocks of two machines can differ, so the sequence number decides between equal times only.
create index audit_entry_by_time on audit_entry (at, seq);

-- The caller is an administrator or an API key; null is the system itself.
create index audit_entry_by_caller on audit_entry (coalesce(actor_id, api_key_id), at, seq);
create index audit_entry_by_feature on audit_entry (split_part(action, '.', 1), at, seq);
create index audit_entry_by_action on audit_entry (action, at, seq);
create index audit_entry_by_caller_and_feature
on audit_entry (coalesce(actor_id, api_key_id), split_part(action, '.', 1), at, seq);
create index audit_entry_by_caller_and_action on audit_entry (coalesce(actor_id, api_key_id), action, at, seq);

drop index audit_entry_by_subject;
create index audit_entry_by_subject on audit_entry (subject_id, at, seq);

-- The statistics of the indexed expressions.
analyze audit_entry;

-- An export of the audit log.
alter table report_export drop constraint report_export_tab_check;
alter table report_export add constraint report_export_tab_check
check (tab in ('withdrawal', 'staking', 'task', 'run', 'audit'));
