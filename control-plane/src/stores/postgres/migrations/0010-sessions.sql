-- Who is logged in to the dashboard. The cookie holds 256 random bits, and this table their hash.
create table sessions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null unique,
  opened_by text not null check (opened_by in ('password', 'link')),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  -- where it was opened, for the user to recognise it by
  address text not null,
  user_agent text not null
);
create index sessions_user on sessions (user_id, created_at, id);
create index sessions_expired on sessions (expires_at);
call isolate('sessions');

-- A link that was mailed: it logs in once.
create table login_links (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index login_links_user on login_links (user_id);
create index login_links_expired on login_links (expires_at);
call isolate('login_links');

-- How often logging in was tried in vain: of no account, since most of it is about none that exists.
create table login_attempts (
  -- sha-256 of an e-mail address or of the address a request came from
  subject bytea primary key,
  failures integer not null,
  blocked_until timestamptz not null,
  expires_at timestamptz not null
);
create index login_attempts_expired on login_attempts (expires_at);

-- One row for each Idempotency-Key of an account.
create table idempotency_keys (
  -- whose claim it is: another request that takes the claim over gives it another id
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  key_hash bytea not null,
  route text not null,
  body_hash bytea not null,
  -- after this instant whoever made the claim has been refused or is gone
  claimed_until timestamptz not null,
  -- set in the transaction of the write itself
  carried_out boolean not null default false,
  -- the answer, once there is one
  status integer,
  body text,
  expires_at timestamptz not null,
  unique (account_id, key_hash)
);
create index idempotency_keys_expired on idempotency_keys (expires_at);
call isolate('idempotency_keys');
