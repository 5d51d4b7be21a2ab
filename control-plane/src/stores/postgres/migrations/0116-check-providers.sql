-- The providers that a check was last seen behind in a region. Old rows do not count.
create table check_providers (
  check_id uuid not null references checks on delete cascade,
  region text not null,
  -- as named by the headers of its answers; empty: none; null: unknown
  cdn text,
  -- by its name servers; null: unknown
  dns text,
  seen_at timestamptz not null,
  primary key (check_id, region)
);
call isolate_by_check('check_providers');
