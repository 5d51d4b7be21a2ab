-- What is known of shared incidents: one row, written by whoever has partition 0 and read by all.
create table shared_state (
  one boolean primary key default true check (one),
  -- by the clock of whoever wrote it
  at timestamptz not null,
  state jsonb not null
);
