-- As what a member of an incident left it: the status that followed `down`; null while it is down, and of
-- those that left before this was noted.
alter table incident_members add column left_as text;
create index incident_members_unwell on incident_members (check_id) where left_as = 'degraded';
-- what a failure may join: incidents that are open, or have just been resolved
create index incidents_joinable on incidents (status_page_id, resolved_at)
  where source = 'automatic';

-- What went down under announced maintenance: its incident is opened when the window is over and it is
-- still down.
create table held_failures (
  status_page_id uuid not null references status_pages on delete cascade,
  check_id uuid not null references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  reason text,
  down_at timestamptz not null,
  -- when it must be looked at again
  next_at timestamptz not null,
  primary key (status_page_id, check_id)
);
create index held_failures_check on held_failures (check_id);
create index held_failures_next on held_failures (next_at);
call isolate('held_failures');
