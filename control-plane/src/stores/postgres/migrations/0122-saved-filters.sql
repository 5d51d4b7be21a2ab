-- Filters of the list of checks that the members of an account named.
create table saved_filters (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- as in the address of the list
  query jsonb not null,
  created_at timestamptz not null
);
create unique index saved_filters_name on saved_filters (account_id, lower(name));
call isolate('saved_filters');
