-- The assessor's state, one row a check. `status` and `version` change only by compare-and-set,
-- together with the flip and its outbox row; `regions` is also written behind.
create table check_states (
  check_id uuid primary key references checks on delete cascade,
  partition smallint not null,
  status text not null default 'unknown',
  status_reason text,
  status_since timestamptz,
  version integer not null default 0,
  regions jsonb not null default '{}'
);
create index check_states_partition on check_states (partition);

create table flips (
  id uuid primary key,
  check_id uuid not null references checks on delete cascade,
  -- the state's version that this flip made: two flips of one version cannot both be
  version integer not null,
  from_status text not null,
  to_status text not null,
  reason text,
  at timestamptz not null,
  unique (check_id, version)
);
create index flips_check on flips (check_id, at desc);

create table outbox (
  id uuid primary key,
  -- the order of telling: ids of one millisecond have none
  sequence bigint generated always as identity,
  kind text not null,
  payload jsonb not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  done_at timestamptz
);
create index outbox_open on outbox (next_attempt_at) where done_at is null;

-- A batch of readings is written here before its insert, so that after a crash exactly the same
-- messages, less the same rows, are inserted again under the same token.
create table ingest_batches (
  token uuid primary key,
  created_at timestamptz not null,
  -- [{partition, first, last, count}]
  ranges jsonb not null,
  -- positions, within the decoded batch, of rows left out: twins and readings of deleted checks
  dropped integer[] not null
);

-- Messages and readings that could not be read: kept for a person to look at, never blocking.
create table poison_messages (
  id uuid primary key,
  partition smallint not null,
  sequence bigint not null,
  reason text not null,
  payload bytea not null,
  received_at timestamptz not null
);
create index poison_messages_received on poison_messages (received_at);
