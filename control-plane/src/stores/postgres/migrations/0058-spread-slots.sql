-- The slots of a revision's regions lie evenly over its interval; false: each where a hash of check and
-- region puts it, as of every revision before this column and of every one that an older version makes.
alter table check_revisions add column spread boolean not null default false;
-- The revision of the check that is spread, where its current one is: a revision that an older version
-- makes leaves this behind.
alter table checks add column spread_revision integer;

-- The regions all of whose agents measure at the phase that an assignment gives, and since when.
create table spread_regions (
  region text primary key,
  since timestamptz not null
);
grant select on spread_regions to probe_mesh_account;

-- Whether a revision made now of a check of these regions is spread. One region has nothing to spread. A
-- region counts after five minutes without an older agent.
create function is_spread(regions text[], at timestamptz) returns boolean language sql stable as $$
  select cardinality(regions) > 1 and regions <@ (
    select coalesce(array_agg(region), '{}') from spread_regions
    where since <= at - interval '5 minutes')
$$;
