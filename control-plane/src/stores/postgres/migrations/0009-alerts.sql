-- Who is told, and when, of what becomes of an account's checks.
create table alert_rules (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  enabled boolean not null,
  -- null: every check, also those that are made later
  check_ids uuid[],
  statuses text[] not null
    check (cardinality(statuses) > 0 and statuses <@ array['down', 'degraded', 'stale']),
  after_seconds integer not null check (after_seconds between 0 and 86400),
  -- null: every channel, also those that are made later
  channel_ids uuid[],
  email_users boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index alert_rules_account on alert_rules (account_id, created_at, id);
call isolate('alert_rules');

-- Every account has this one from the start, so that whatever goes down is told.
insert into alert_rules (id, account_id, name, enabled, statuses, after_seconds, email_users,
  created_at, updated_at)
select gen_random_uuid(), id, 'Everything that goes down', true, '{down}', 0, false, now(), now()
from accounts;

-- How far the rules have read a check's flips: each is taken once, and in the order of versions,
-- whatever order their outbox rows are found in.
create table alert_cursors (
  check_id uuid primary key references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  version integer not null
);
call isolate('alert_cursors');
insert into alert_cursors (check_id, account_id, version)
select check_id, account_id, version
from check_states join checks on checks.id = check_states.check_id;

-- What a rule has begun to tell of a check: from the first bad status until it is operational.
create table alerts (
  rule_id uuid not null references alert_rules on delete cascade,
  check_id uuid not null references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  state jsonb not null,
  -- when it must be looked at again
  next_at timestamptz not null,
  primary key (rule_id, check_id)
);
create index alerts_check on alerts (check_id);
create index alerts_next on alerts (next_at);
call isolate('alerts');

-- What is about to be told to one receiver, a channel or a user, while it is seen how much it is.
create table alert_messages (
  id uuid primary key,
  sequence bigint generated always as identity,
  account_id uuid not null references accounts on delete cascade,
  receiver_id uuid not null,
  check_id uuid not null references checks on delete cascade,
  -- what caused it and for whom: written twice, it is one message
  cause text not null unique,
  message jsonb not null,
  created_at timestamptz not null
);
create index alert_messages_receiver on alert_messages (receiver_id, sequence);
create index alert_messages_check on alert_messages (check_id);
call isolate('alert_messages');

-- How fast a receiver is told things. Its row is locked by whoever adds a message or sends them.
create table alert_gatherings (
  receiver_id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('mail', 'channel')),
  -- since when messages wait, and when they are sent; null: none wait
  opened_at timestamptz,
  send_at timestamptz,
  -- how many messages it was told since then: the velocity limit
  told_since timestamptz not null,
  told integer not null,
  -- a digest opened something at the receiver that is not closed yet
  in_storm boolean not null
);
create index alert_gatherings_due on alert_gatherings (send_at) where send_at is not null;
call isolate('alert_gatherings');

-- The checks of an automatic incident: those that went down together by one cause.
create table incident_members (
  incident_id uuid not null references incidents on delete cascade,
  -- it stays when the check is deleted: an incident that waits for nobody else can be told
  check_id uuid not null,
  account_id uuid not null references accounts on delete cascade,
  -- what one cause is recognised by: the target's host, or the reason and the regions that saw it
  host text,
  cause text not null,
  regions text[] not null,
  down_at timestamptz not null,
  recovered_at timestamptz,
  primary key (incident_id, check_id)
);
create index incident_members_open on incident_members (check_id) where recovered_at is null;
call isolate('incident_members');
