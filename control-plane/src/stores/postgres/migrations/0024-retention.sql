-- Accounts whose tier changed, until what is stored of them is kept as long as it says.
create table retention_changes (
  account_id uuid primary key references accounts on delete cascade,
  changed_at timestamptz not null,
  -- the last check that is done with, in the order of ids; null: none yet
  done_through uuid
);
create index retention_changes_changed on retention_changes (changed_at);
call isolate('retention_changes');
