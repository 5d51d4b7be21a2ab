-- The checks that a check depends on, its parents. While a parent is down, the alerts of the check are held.
create table check_parents (
  check_id uuid not null references checks on delete cascade,
  parent_id uuid not null references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  primary key (check_id, parent_id),
  check (check_id <> parent_id)
);
create index check_parents_parent on check_parents (parent_id);
call isolate('check_parents');
