-- For calendars: how often a window was changed after its announcement, and when last; null: never.
alter table maintenance_windows
  add column revision integer not null default 0,
  add column changed_at timestamptz;
