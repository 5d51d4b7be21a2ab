-- What every page of the dashboard counts.
create index incidents_open_of_account on incidents (account_id) where resolved_at is null;
create index error_issues_unresolved on error_issues (account_id) where status = 'unresolved';

-- What uptime is computed from, without the reasons: read for all checks of an account at once.
create index flips_uptime on flips (check_id, at desc, version desc) include (to_status, none_up);
