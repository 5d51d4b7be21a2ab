-- Service level objectives: a share of probes that should be up, of one check or of all checks with a tag.
create table objectives (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- percent
  target double precision not null,
  window_days integer not null,
  check_id uuid references checks on delete cascade,
  tag text,
  created_at timestamptz not null,
  check ((check_id is null) <> (tag is null))
);
create index objectives_account on objectives (account_id);
create index objectives_check on objectives (check_id);
call isolate('objectives');
