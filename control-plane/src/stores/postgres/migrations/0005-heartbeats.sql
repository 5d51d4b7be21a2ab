-- A heartbeat check's state. It changes by compare-and-set on `version` only, together with its runs,
-- its flip and the outbox row of that.
create table heartbeats (
  check_id uuid primary key references checks on delete cascade,
  -- who has it may ping: random, and not the check's id, which every read key can see
  ping_key uuid not null unique,
  state jsonb not null,
  version integer not null default 0,
  -- an absolute instant, looked for every second by every control plane; null: nothing is awaited
  next_deadline_at timestamptz,
  -- the last /log that belonged to no run
  log_message text,
  log_at timestamptz,
  -- how many runs are kept, so that those with too many are found at once
  run_count integer not null default 0
);
create index heartbeats_deadline on heartbeats (next_deadline_at) where next_deadline_at is not null;
create index heartbeats_many_runs on heartbeats (check_id) where run_count > 1100;

create table heartbeat_runs (
  id uuid primary key,
  check_id uuid not null references heartbeats on delete cascade,
  -- the caller's name of the run
  rid uuid,
  -- its start, or its end where it has no start: the order of runs
  at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  outcome text not null,
  stuck boolean not null,
  exit_code smallint,
  message text
);
create index heartbeat_runs_rid on heartbeat_runs (check_id, rid) where rid is not null;
create index heartbeat_runs_newest on heartbeat_runs (check_id, at desc, id desc);

-- When a control plane was last there to take pings: one row, written by all of them.
create table heartbeat_watch (
  one boolean primary key default true check (one),
  seen_at timestamptz not null
);

-- Times in which none was: a ping that could not be taken is no ping that was not sent.
create table heartbeat_outages (
  from_at timestamptz primary key,
  to_at timestamptz not null
);
