-- Times in which several unrelated hosts fell silent for a region at once, so that silence there counted as unmeasured:
-- a replay of stored readings has to know them. No row belongs to an account.
create table region_bursts (
  region text not null,
  -- silence that began at this time or later was not trusted
  since timestamptz not null,
  -- while the assessors applied it
  from_at timestamptz not null,
  to_at timestamptz not null,
  primary key (region, since)
);
create index region_bursts_ended on region_bursts (to_at);
