-- What a key has used of its budgets within the window: one count, whichever instance was asked.
-- Unlogged, since it is the count of a minute: no call waits for the disk, and a crash of the server
-- forgets the minute. All instants are of this server's clock, in milliseconds since 1970.
create type budget_use as (
  -- when the places were used; of a block, when it lapses
  at double precision,
  places integer,
  -- a block handed to an instance and not settled yet; null for what was used
  block uuid
);

-- A refused call was told to come back at told_at, for a place that becomes free at free_at.
create type budget_promise as (free_at double precision, told_at double precision);

create unlogged table budgets (
  key_id uuid not null references api_keys on delete cascade,
  budget text not null check (budget in ('reads', 'writes')),
  account_id uuid not null references accounts on delete cascade,
  uses budget_use[] not null default '{}',
  promises budget_promise[] not null default '{}',
  touched_at timestamptz not null default clock_timestamp(),
  primary key (key_id, budget)
) with (fillfactor = 50);
call isolate('budgets');

-- One trip of an instance: settles the blocks that it brings back, then takes places for calls that
-- wait (`wanted`), a block for calls to come (`spare`, at most an eighth of what is left) and, where
-- calls must be refused, an instant for each of them and for `stock` more, every one for a place of
-- its own. The row's lock makes the count exact. Instances speak of ages and waits only, so that the
-- clock of none of them matters; `given_ms` stands for the clock in tests.
create function trade_places(
  for_key uuid, for_account uuid, for_budget text,
  quota integer, window_ms double precision, block_ms double precision, slot_ms double precision,
  promises_max integer, wanted integer, spare integer, stock integer, new_block uuid,
  returned jsonb, given_ms double precision,
  out granted integer, out handed integer, out places_left integer,
  out reset_ms double precision, out shut_ms double precision,
  out waits_ms double precision[], out all_promised boolean
) language plpgsql as $$
declare
  known budgets;
  at_ms double precision;
  used bigint;
  due integer;
  outstanding integer;
  refused integer;
  free_instants double precision[];
  told double precision;
begin
  loop
    insert into budgets (key_id, budget, account_id) values (for_key, for_budget, for_account)
      on conflict do nothing;
    select * into known from budgets where key_id = for_key and budget = for_budget for update;
    exit when found;
  end loop;
  -- after the lock: whoever waits for it must not count with an instant of before
  at_ms := floor(coalesce(given_ms, extract(epoch from clock_timestamp()) * 1000));

  -- what is a slot apart counts as one use, of its latest instant: a row has a bound at any quota
  known.uses := array(
    select row(max(each.at), sum(each.places), each.block)::budget_use
    from (
      select entry.at, entry.places, entry.block from unnest(known.uses) entry
      where entry.block is null or not exists (
        select from jsonb_array_elements(returned) back where (back->>'block')::uuid = entry.block)
      union all
      -- nothing was used before it was handed out, whatever an instance's clock says; a block that
      -- is not known any more was settled by a trip whose answer got lost
      select
        greatest(at_ms - greatest(0, (use->>0)::double precision),
          coalesce(entry.at - block_ms, '-infinity')),
        (use->>1)::integer, null
      from jsonb_array_elements(returned) back
      cross join jsonb_array_elements(back->'uses') use
      left join unnest(known.uses) entry on entry.block = (back->>'block')::uuid
      where back->>'block' is null or entry.block is not null
    ) each
    where each.at > at_ms - window_ms
    group by each.block, ceil(each.at / slot_ms)
    order by max(each.at)
  );
  known.promises := array(
    select promise from unnest(known.promises) promise where (promise).told_at > at_ms
    order by (promise).told_at);

  select coalesce(sum(places), 0) into used from unnest(known.uses);
  -- a place that is free and promised is kept until the instant that was told, which is a whole
  -- second and therefore up to one later
  select count(*) filter (where free_at <= at_ms), count(*) filter (where free_at > at_ms)
    into due, outstanding from unnest(known.promises);
  places_left := greatest(0, quota - used);
  granted := least(wanted, greatest(0, places_left - due));
  handed := least(spare, greatest(0, places_left - due - granted) / 8);
  places_left := places_left - granted - handed;
  if granted > 0 then
    known.uses := known.uses || row(at_ms, granted, null)::budget_use;
  end if;
  if handed > 0 then
    known.uses := known.uses || row(at_ms + block_ms, handed, new_block)::budget_use;
  end if;

  refused := wanted - granted;
  waits_ms := '{}';
  all_promised := false;
  if refused > 0 then
    -- the instants at which places become free, in order: those of uses, then those of the calls
    -- that were told to come, which may be a second late; the outstanding promises have the first
    free_instants := array(
      select instant from (
        select each.at + window_ms as instant from unnest(known.uses) each
          cross join lateral generate_series(1, least(each.places, promises_max))
        union all
        select told_at + 1000 + window_ms from unnest(known.promises)
      ) free
      order by instant
      offset outstanding + greatest(0, due - places_left) limit refused + stock);
    told := coalesce((select max(told_at) from unnest(known.promises)), at_ms + window_ms);
    for n in 1..refused + stock loop
      all_promised := cardinality(known.promises) >= promises_max;
      -- beyond the bound everybody is told the last place
      exit when all_promised and n > refused;
      if not all_promised then
        told := at_ms + 1000 * greatest(1, ceil((free_instants[n] - at_ms) / 1000));
        known.promises := known.promises || row(free_instants[n], told)::budget_promise;
        free_instants := free_instants || told + 1000 + window_ms;
      end if;
      waits_ms := waits_ms || told - at_ms;
    end loop;
  end if;

  select coalesce(min(at) + window_ms - at_ms, 0) into reset_ms from unnest(known.uses);
  -- until when there is nothing to be had: a block may come back soon after it lapsed
  select case when places_left > due then 0 else coalesce(min(instant) - at_ms, 0) end into shut_ms
  from (
    select case when block is null or at < at_ms - 2000 then at + window_ms
      else greatest(at, at_ms) + 500 end as instant
    from unnest(known.uses)
    union all select told_at from unnest(known.promises) where free_at <= at_ms
  ) free;
  update budgets set uses = known.uses, promises = known.promises, touched_at = clock_timestamp()
    where key_id = for_key and budget = for_budget;
end
$$;
