-- Who is on call, by turns. Members of a layer are named by id; one who is removed leaves a gap.
create table on_call_schedules (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  time_zone text not null,
  layers jsonb not null,
  overrides jsonb not null,
  -- names the calendar; its address is signed, so that this table has no secret
  feed_id uuid not null unique,
  -- who was told to be on call, and when to look again
  on_call uuid,
  next_look_at timestamptz not null,
  created_at timestamptz not null
);
create index on_call_schedules_account on on_call_schedules (account_id);
create index on_call_schedules_next on on_call_schedules (next_look_at);
call isolate('on_call_schedules');

-- Who is notified of an alert, and when the next ones are.
create table escalation_policies (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  levels jsonb not null,
  repeats integer not null,
  repeat_after_minutes integer not null,
  created_at timestamptz not null
);
create index escalation_policies_account on escalation_policies (account_id);
call isolate('escalation_policies');

alter table alert_rules add column escalation_id uuid references escalation_policies;
create index alert_rules_escalation on alert_rules (escalation_id);

-- Each level that was reached, for the timeline of the outage; also one that reached no one.
create table alert_escalations (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null references checks on delete cascade,
  policy text not null,
  -- both from 1
  level integer not null,
  round integer not null,
  receivers integer not null,
  -- schedules in which no one was on call
  gaps text[] not null,
  at timestamptz not null
);
create index alert_escalations_check on alert_escalations (check_id, at);
create index alert_escalations_account on alert_escalations (account_id);
call isolate('alert_escalations');
