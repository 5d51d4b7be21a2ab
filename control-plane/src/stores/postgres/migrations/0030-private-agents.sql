-- Agents of an account's own. A check that runs from one names it as its only region:
-- `private-<id>`; revoked ones stay, since the history of their checks names them.
create table private_agents (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- sha-256 of the token, as of an API key
  token_hash bytea not null unique,
  -- enough to recognise the token by, never enough to use it
  hint text not null,
  created_at timestamptz not null,
  rotated_at timestamptz,
  revoked_at timestamptz,
  -- which life of the agent is the one that measures: a later one takes over
  session uuid,
  -- what it told of itself last
  version text,
  last_seen_at timestamptz,
  report jsonb
);
create index private_agents_account on private_agents (account_id, created_at, id);
call isolate('private_agents');

create index checks_private on checks ((regions[1])) where private;
