-- The control planes that live, each with the session that its advisory locks stand on.
create table control_planes (
  id uuid primary key,
  backend_pid integer not null,
  -- with the pid it names the session: pids are given again
  backend_start timestamptz not null,
  seen_at timestamptz not null
);

-- Who stores and judges a partition. Having it is an advisory lock; the epoch rises each time it is
-- taken, and every write of its holder names it, so that a former holder's writes change nothing.
create table partition_leases (
  partition smallint primary key,
  epoch bigint not null default 0,
  holder uuid,
  taken_at timestamptz
);
insert into partition_leases (partition) select generate_series(0, 15);
