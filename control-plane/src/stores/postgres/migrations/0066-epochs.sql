-- Which control planes may work on this database. A version is an epoch; versions from before epochs are of
-- epoch 0. A release that the versions before it cannot work beside raises `epoch`, and `least` to one below.
create table schema_epoch (
  one boolean primary key default true check (one),
  epoch integer not null,
  -- the oldest that may work here
  least integer not null,
  -- older ones hold no partition while one of this epoch or later lives: it replaced what they read from
  fence integer not null default 0
);
insert into schema_epoch (epoch, least) values (1, 0);

-- What an older version registers is of epoch 0.
alter table control_planes add column epoch integer not null default 0;

create function is_fenced(epoch integer) returns boolean language sql stable as $$
  select exists (
    select from schema_epoch s
      join control_planes c on c.epoch >= s.fence
      join pg_stat_activity a on a.pid = c.backend_pid and a.backend_start = c.backend_start
    where is_fenced.epoch < s.fence and c.seen_at > clock_timestamp() - interval '5 seconds')
$$;

-- A control plane that may not work here cannot say that it lives, and so loses its partitions within seconds:
-- versions that know nothing of epochs as well.
create function refuse_older_control_plane() returns trigger language plpgsql as $$
declare
  rule schema_epoch;
begin
  select * into rule from schema_epoch;
  if new.epoch < rule.least then
    raise exception 'this version is of epoch %, and the database takes epoch % or later: start a newer version',
      new.epoch, rule.least using errcode = 'PMOLD';
  end if;
  if is_fenced(new.epoch) then
    raise exception 'a newer control plane took over the partitions: replace this one by the newer version'
      using errcode = 'PMOLD';
  end if;
  return new;
end $$;
create trigger refuse_older before insert or update on control_planes
  for each row execute function refuse_older_control_plane();
