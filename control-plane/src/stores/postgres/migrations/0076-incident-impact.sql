-- How much of a page an incident affects: as measured when it opened or grew, and as its owner says, which wins.
-- null in both, as previous versions write it: `major` of an automatic incident, `minor` of another.
alter table incidents
  add column measured_impact text check (measured_impact in ('none', 'minor', 'major', 'critical')),
  add column posted_impact text check (posted_impact in ('none', 'minor', 'major', 'critical'));
-- what decides the headline of a page
create index incidents_open on incidents (status_page_id) where resolved_at is null;

-- The checks that the owner of an incident names, beside the one that it belongs to and the members that are
-- measured. By check, so that a component that is published anew is affected again.
create table incident_components (
  incident_id uuid not null references incidents on delete cascade,
  check_id uuid not null references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  position integer not null,
  primary key (incident_id, check_id)
);
create index incident_components_check on incident_components (check_id);
call isolate('incident_components');

-- An incident is deleted with its check. One that a person posted about several passes to the next of them.
create function pass_incidents_on() returns trigger language plpgsql as $$
begin
  update incidents set check_id = (
    select named.check_id from incident_components as named
    where named.incident_id = incidents.id and named.check_id <> old.id
    order by named.position limit 1)
  where check_id = old.id and source = 'manual' and exists (
    select from incident_components as named
    where named.incident_id = incidents.id and named.check_id <> old.id);
  return old;
end $$;
create trigger pass_incidents_on before delete on checks
  for each row execute function pass_incidents_on();
