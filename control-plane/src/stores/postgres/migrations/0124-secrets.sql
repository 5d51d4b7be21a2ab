-- Secrets that the checks of an account name as {{ secret.name }}.
create table secrets (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- the hosts that it may be sent to
  hosts text[] not null,
  -- sealed with SECRETS_KEY
  value bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index secrets_name on secrets (account_id, lower(name));
call isolate('secrets');

-- The key that seals the secrets of a private agent's checks, itself sealed with SECRETS_KEY.
create table private_agent_keys (
  agent_id uuid primary key references private_agents on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  key bytea not null
);
create index private_agent_keys_account on private_agent_keys (account_id);
call isolate('private_agent_keys');

-- The names of the secrets that a check uses, read from its config when it is written.
alter table checks add column secret_names text[] not null default '{}';
