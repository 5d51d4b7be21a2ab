-- The hosts that a check asks and whose they are, an entry for each request of a run
-- (checks/asked-hosts.ts). Null until a control plane that knows of them has looked at the check.
alter table checks add column asked_hosts text[], add column asked_sites text[];
create index checks_asked_hosts on checks using gin (asked_hosts);
create index checks_asked_sites on checks using gin (asked_sites);
create index checks_asked_unknown on checks (id) where asked_hosts is null;

-- Requests that were asked for by hand, by host and minute. A crash may forget them.
create unlogged table asked_by_hand (
  minute timestamptz not null,
  host text not null,
  requests integer not null,
  primary key (minute, host)
);

-- Counts requests by hand for this minute. False, and nothing is counted, where it would be more of
-- one host than may be asked. What was before this minute is forgotten.
create function ask_by_hand(hosts text[], per_minute integer) returns boolean
language plpgsql volatile as $$
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
