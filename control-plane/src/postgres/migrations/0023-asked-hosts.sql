-- The hosts that a check asks and whose they are, an entry for each request of a run
-- (checks/asked-hosts.ts). Null until a control plane that knows of them has looked at the check.
alter table checks add column asked_hosts text[], add column asked_sites text[];
create index checks_asked_hosts on checks using gin (asked_hosts);
create index checks_asked_sites on checks using gin (asked_sites);
create index checks_asked_unknown on checks (id) where asked_hosts is null;

-- What the checks of all accounts ask of hosts and sites, requests a minute: the verbs of an account
-- see no other account's checks, and are told two sums. Who asks waits until others who asked about
-- one of these sites are done, so that what was counted holds until the transaction ends.
create function asked_per_minute(hosts text[], sites text[], besides uuid)
returns table (kind text, name text, by_all float8, by_account float8)
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(727010, of_site.key)
    from (select distinct hashtext(site) as key from unnest(sites) as site order by 1) as of_site;
  return query
    select asked.kind, asked.name, coalesce(sum(asked.rate), 0),
      coalesce(sum(asked.rate) filter (where asked.account_id = current_account()), 0)
    from (
      select 'host' as kind, host as name, c.account_id,
        cardinality(array_positions(c.asked_hosts, host)) * cardinality(c.regions) * 60.0::float8
          / c.interval_seconds as rate
      from unnest(hosts) as host join checks c on c.asked_hosts @> array[host]
      where not c.paused and c.id <> besides
      union all
      select 'site', site, c.account_id,
        cardinality(array_positions(c.asked_sites, site)) * cardinality(c.regions) * 60.0::float8
          / c.interval_seconds
      from unnest(sites) as site join checks c on c.asked_sites @> array[site]
      where not c.paused and c.id <> besides
    ) as asked
    group by asked.kind, asked.name;
end
$$;

-- Requests that were asked for by hand, by host and minute. A crash may forget them.
create unlogged table asked_by_hand (
  minute timestamptz not null,
  host text not null,
  requests integer not null,
  primary key (minute, host)
);
grant select, insert, update, delete on asked_by_hand to probe_mesh_system;

-- Counts requests by hand for this minute. False, and nothing is counted, where it would be more of
-- one host than may be asked. What was before this minute is forgotten.
create function ask_by_hand(hosts text[], per_minute integer) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  this_minute timestamptz := date_trunc('minute', clock_timestamp());
begin
  perform pg_advisory_xact_lock(727011, of_host.key)
    from (select distinct hashtext(host) as key from unnest(hosts) as host order by 1) as of_host;
  if exists (
    select from (select host, count(*) as requests from unnest(hosts) as host group by host) as asked
      left join asked_by_hand before
        on before.minute = this_minute and before.host = asked.host
    where asked.requests + coalesce(before.requests, 0) > per_minute
  ) then
    return false;
  end if;
  delete from asked_by_hand where ctid in (
    select ctid from asked_by_hand where minute < this_minute limit 1000 for update skip locked);
  insert into asked_by_hand (minute, host, requests)
    select this_minute, host, count(*) from unnest(hosts) as host group by host order by host
    on conflict (minute, host) do update set requests = asked_by_hand.requests + excluded.requests;
  return true;
end
$$;

revoke all on function asked_per_minute, ask_by_hand from public;
grant execute on function asked_per_minute, ask_by_hand to probe_mesh_account, probe_mesh_system;
