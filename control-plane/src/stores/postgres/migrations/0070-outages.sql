-- Every time a check was down, published or not: from its first flip to `down` until a flip to a status in which
-- some region sees it up, or to the one of a pause. A trigger writes it, so that a flip of any version of the control
-- plane counts, and so that the outage is visible with its flip. Time without data is neither up nor down: it ends no
-- outage.
create table outages (
  -- the flip that began it
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null references checks on delete cascade,
  started_at timestamptz not null,
  -- null while no region has seen it up and it is not paused
  ended_at timestamptz,
  -- the versions of the flips that began and ended it
  start_version integer not null,
  end_version integer,
  reason text,
  -- the regions that saw it fail when it began; empty for a heartbeat, and where that was not recorded
  regions text[] not null default '{}'
);
create index outages_account on outages (account_id, started_at desc, id desc);
create index outages_of_check on outages (check_id, started_at desc);
create index outages_open_of_account on outages (account_id) where ended_at is null;
create unique index outages_open on outages (check_id) where ended_at is null;
call isolate('outages');

-- Whether some region sees a check up in this status.
create function is_seen_up(status text, none_up boolean) returns boolean language sql immutable as $$
  select status = 'operational' or (status = 'degraded' and not none_up)
$$;

create function record_outages() returns trigger language plpgsql as $$
declare
  flip record;
begin
  for flip in
    select flipped.id, flipped.check_id, flipped.version, flipped.to_status, flipped.none_up, flipped.reason,
      flipped.at, checks.account_id
    from flipped join checks on checks.id = flipped.check_id
    where flipped.to_status = 'down' or is_seen_up(flipped.to_status, flipped.none_up)
      or (checks.paused and flipped.to_status in ('stale', 'unknown'))
    order by flipped.check_id, flipped.version
  loop
    if flip.to_status = 'down' then
      insert into outages (id, account_id, check_id, started_at, start_version, reason, regions)
      select flip.id, flip.account_id, flip.check_id, flip.at, flip.version, flip.reason, array(
        select region from check_states join checks on checks.id = check_states.check_id
          cross join unnest(checks.regions) as region
        where check_states.check_id = flip.check_id
          and check_states.regions -> region ->> 'verdict' = 'down'
          -- about as long as a reading counts
          and (check_states.regions -> region -> 'measuredAt')::float8
            >= extract(epoch from flip.at) * 1000 - (3 * checks.interval_seconds + 5) * 1000
        order by region)
      on conflict do nothing;
    else
      update outages set ended_at = flip.at, end_version = flip.version
      where check_id = flip.check_id and ended_at is null;
    end if;
  end loop;
  return null;
end $$;
create trigger record_outages after insert on flips
  referencing new table as flipped for each statement execute function record_outages();

-- What happened before: of the flips that count, the first `down` after a good one begins an outage, and the first
-- good one after that ends it.
insert into outages (id, account_id, check_id, started_at, ended_at, start_version, end_version, reason)
select id, account_id, check_id, at, next_at, version, next_version, reason
from (
  select *, lead(at) over later as next_at, lead(version) over later as next_version
  from (
    select flips.id, flips.check_id, flips.version, flips.reason, flips.at, checks.account_id,
      flips.to_status = 'down' as is_down,
      lag(flips.to_status = 'down') over (partition by flips.check_id order by flips.version) as was_down
    from flips join checks on checks.id = flips.check_id
    where flips.to_status = 'down' or is_seen_up(flips.to_status, flips.none_up)
  ) as counted
  where is_down is distinct from was_down
  window later as (partition by check_id order by version)
) as changed
where is_down;
