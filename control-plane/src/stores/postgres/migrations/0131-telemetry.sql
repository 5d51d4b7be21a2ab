-- Where the metrics and traces of an account are pushed by OTLP.
create table telemetry_endpoints (
  account_id uuid primary key references accounts on delete cascade,
  endpoint text not null,
  -- sealed for the account and this endpoint; null: none
  headers bytea,
  header_names text[] not null,
  updated_at timestamptz not null
);
call isolate('telemetry_endpoints');

-- The pushes of metrics and of traces, and how they go.
create table telemetry_pushes (
  account_id uuid not null references telemetry_endpoints on delete cascade,
  signal text not null,
  enabled boolean not null,
  -- the next push; while one runs, when it counts as lost
  due_at timestamptz not null,
  failures integer not null default 0,
  last_success_at timestamptz,
  last_error_at timestamptz,
  last_error text,
  sent bigint not null default 0,
  refused bigint not null default 0,
  dropped bigint not null default 0,
  -- traces: every minute before this one is settled
  settled_to timestamptz not null,
  -- traces: how many runs of a minute since then were pushed, by its begin in Unix ms
  pushed jsonb not null default '{}',
  primary key (account_id, signal)
);
create index telemetry_pushes_due on telemetry_pushes (due_at) where enabled;
call isolate('telemetry_pushes');
