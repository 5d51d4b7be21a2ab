-- A window that had not begun when it was cancelled; it ends where it would have started.
alter table maintenance_windows add column cancelled_at timestamptz;
