create table accounts (
  id uuid primary key,
  name text not null,
  tier text not null check (tier in ('free', 'growth', 'scale')),
  created_at timestamptz not null
);

create table users (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null
);
create unique index users_email on users (lower(email));

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  scope text not null check (scope in ('read', 'read_write')),
  -- sha-256 of the key: 256 random bits need no slow hash, and equality on it is the look-up
  key_hash bytea not null unique,
  -- enough to recognise a key by, never enough to use it
  hint text not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);

create table checks (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  type text not null,
  name text not null,
  url text,
  target text,
  interval_seconds integer not null check (interval_seconds > 0),
  regions text[] not null,
  all_regions boolean not null,
  paused boolean not null default false,
  private boolean not null default false,
  -- the eight assertion fields under their API names, unset ones left out
  assertions jsonb not null default '{}',
  revision integer not null default 1,
  -- since when the current revision's slots are due
  valid_from timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index checks_account on checks (account_id, created_at, id);

-- What was due, and when: the ledger is computed from these rows (contracts/slots).
create table check_revisions (
  check_id uuid not null references checks on delete cascade,
  revision integer not null,
  valid_from timestamptz not null,
  valid_to timestamptz,
  regions text[] not null,
  interval_seconds integer not null,
  paused boolean not null,
  primary key (check_id, revision)
);

-- A deleted check's readings are removed from ClickHouse after the last batch that may hold them.
create table deleted_checks (
  check_id uuid primary key,
  account_id uuid not null,
  deleted_at timestamptz not null,
  purged_at timestamptz
);
create index deleted_checks_unpurged on deleted_checks (deleted_at) where purged_at is null;
