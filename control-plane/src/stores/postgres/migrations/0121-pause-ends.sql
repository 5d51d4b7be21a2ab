-- When a pause ends by itself; null: by hand, or not paused.
alter table checks add column paused_until timestamptz;
create index checks_paused_until on checks (paused_until) where paused_until is not null;

-- A control plane of an earlier version resumes a check without clearing the end, which a later pause must not inherit.
create function forget_pause_end() returns trigger language plpgsql as $$
begin
  new.paused_until := null;
  return new;
end $$;
create trigger forget_pause_end before update of paused on checks
  for each row when (not new.paused and new.paused_until is not null)
  execute function forget_pause_end();
