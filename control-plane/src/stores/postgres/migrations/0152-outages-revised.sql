-- An outage that lasts is revised: its regions are all that saw it, and its reason is of when most of them did, not
-- of its first moment. A reason without a count, such as of a heartbeat, is the newest.
create function revise_outage() returns trigger language plpgsql as $$
declare
  failing constant text := '^(\d+) of \d+ regions fail ';
  seen integer := substring(new.status_reason from failing)::integer;
begin
  update outages set
    reason = case
      when seen is null and substring(reason from failing) is not null then reason
      when seen < substring(reason from failing)::integer then reason
      else new.status_reason
    end,
    regions = array(
      select unnest(outages.regions)
      union
      select region from checks cross join unnest(checks.regions) as region
      where checks.id = new.check_id and seen is not null
        -- the reason names those whose readings count
        and region = any(string_to_array(substring(new.status_reason from '\(([a-z0-9, -]+)\)'), ', '))
      order by 1)
  where check_id = new.check_id and ended_at is null;
  return null;
end $$;
create trigger revise_outage after update on check_states for each row
  when (new.status = 'down' and new.status_reason is not null
    and (old.status <> 'down' or old.status_reason is distinct from new.status_reason))
  execute function revise_outage();
