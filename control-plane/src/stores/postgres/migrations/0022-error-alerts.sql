-- Who is told of what becomes of error issues.
create table error_rules (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  enabled boolean not null,
  -- null: every project, also those that are made later
  project_ids uuid[],
  events text[] not null
    check (cardinality(events) > 0 and events <@ array['new_issue', 'regression', 'spike']),
  spike_of text not null check (spike_of in ('project', 'issue')),
  spike_span_minutes smallint not null check (spike_span_minutes in (5, 60)),
  spike_events_min integer not null check (spike_events_min between 1 and 1000000),
  spike_factor double precision not null check (spike_factor between 1 and 1000),
  -- null: every channel, also those that are made later
  channel_ids uuid[],
  email_users boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index error_rules_account on error_rules (account_id, created_at, id);
call isolate('error_rules');

-- How far a rule is, apart from it: whoever tells locks this row, and nobody who edits the rule waits.
create table error_rule_states (
  rule_id uuid primary key references error_rules on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  -- how many messages it caused since when, and what waits to be told together with the hour's end
  bound jsonb not null,
  -- when what waits is told; null: nothing waits
  tell_at timestamptz,
  -- spikes were looked for in spans up to here
  looked_at timestamptz
);
create index error_rule_states_due on error_rule_states (tell_at) where tell_at is not null;
create index error_rule_states_account on error_rule_states (account_id);
call isolate('error_rule_states');

-- Times of more events than usual, as a rule counts them: open until for one whole span there were not.
create table error_spikes (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  rule_id uuid not null references error_rules on delete cascade,
  project_id uuid not null references error_projects on delete cascade,
  -- null: of the whole project
  issue_id uuid references error_issues on delete cascade,
  -- the ends of the first and of the last span that had more
  began_at timestamptz not null,
  last_met_at timestamptz not null check (last_met_at >= began_at),
  ended_at timestamptz check (ended_at > last_met_at),
  -- whether its beginning was told by itself, so that its end is
  told boolean not null
);
create unique index error_spikes_open on error_spikes (rule_id, coalesce(issue_id, project_id))
  where ended_at is null;
create index error_spikes_account on error_spikes (account_id, began_at);
create index error_spikes_ended on error_spikes (ended_at) where ended_at is not null;
create index error_spikes_project on error_spikes (project_id);
create index error_spikes_issue on error_spikes (issue_id);
call isolate('error_spikes');

-- What began when, beside a check's or an incident's time.
create index error_issues_first_seen on error_issues (account_id, first_seen);
create index error_issues_regressed on error_issues (account_id, regressed_at)
  where regressed_at is not null;
create index error_project_releases_first_seen on error_project_releases (account_id, first_seen);
drop index error_project_releases_account;
drop index error_issues_account;
