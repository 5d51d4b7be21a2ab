-- Requests that were asked for by hand, by host, minute and account. A crash may forget them.
create unlogged table asked_by_hand_of_account (
  minute timestamptz not null,
  host text not null,
  account_id uuid not null references accounts on delete cascade,
  requests integer not null,
  primary key (minute, host, account_id)
);
call isolate('asked_by_hand_of_account');

-- Counts requests by hand for this minute. False, and nothing is counted, where it would be more of one
-- host than all accounts or this one may ask. `floor_of_account` is what it may ask whatever others do, until
-- floors have doubled what all may ask. What was before this minute is forgotten.
create function ask_by_hand(
  hosts text[], per_minute integer, for_account uuid, of_account integer, floor_of_account integer
) returns boolean language plpgsql volatile as $$
declare
  this_minute timestamptz := date_trunc('minute', clock_timestamp());
begin
  perform pg_advisory_xact_lock(727011, of_host.key)
    from (select distinct hashtext(host) as key from unnest(hosts) as host order by 1) as of_host;
  if exists (
    select from (select host, count(*) as requests from unnest(hosts) as host group by host) as asked
      left join asked_by_hand before
        on before.minute = this_minute and before.host = asked.host
      left join asked_by_hand_of_account own
        on own.minute = this_minute and own.host = asked.host and own.account_id = for_account
      cross join lateral (select asked.requests + coalesce(before.requests, 0) as by_all,
        asked.requests + coalesce(own.requests, 0) as by_account) as next
    where next.by_account > of_account
      or (next.by_all > per_minute
        and (next.by_account > floor_of_account or next.by_all > 2 * per_minute))
  ) then
    return false;
  end if;
  delete from asked_by_hand where ctid in (
    select ctid from asked_by_hand where minute < this_minute limit 1000 for update skip locked);
  delete from asked_by_hand_of_account where ctid in (
    select ctid from asked_by_hand_of_account where minute < this_minute
    limit 1000 for update skip locked);
  insert into asked_by_hand (minute, host, requests)
    select this_minute, host, count(*) from unnest(hosts) as host group by host order by host
    on conflict (minute, host) do update set requests = asked_by_hand.requests + excluded.requests;
  insert into asked_by_hand_of_account (minute, host, account_id, requests)
    select this_minute, host, for_account, count(*) from unnest(hosts) as host
    group by host order by host
    on conflict (minute, host, account_id)
    do update set requests = asked_by_hand_of_account.requests + excluded.requests;
  return true;
end
$$;

-- Who uses what of which shared pool, as each process wrote it last. It is no record: a crash may forget it.
create unlogged table pool_shares (
  process uuid not null,
  written_at timestamptz not null,
  pool text not null,
  owner text not null,
  taken integer not null,
  waiting integer not null,
  primary key (process, pool, owner)
);
create index pool_shares_age on pool_shares (written_at);
