-- The name that a member chose when accepting an invitation; null: known by the address only.
alter table users add column name text;

-- An open invitation to an account. The link holds 256 random bits, and this table their hash.
create table invitations (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  token_hash bytea not null unique,
  -- the address of the member who invited
  invited_by text not null,
  -- the link went to the address only, so its holder owns the address
  mailed boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index invitations_email on invitations (account_id, lower(email));
create index invitations_expired on invitations (expires_at);
call isolate('invitations');
