-- How many people report problems. Of no account and of nobody: who reported is never written.
create table report_counts (
  -- a quarter of an hour of the clock, its beginning
  quarter_at timestamptz not null,
  slug text not null,
  -- that the visitor named, or unknown
  region text not null,
  reports integer not null,
  primary key (quarter_at, slug, region)
);

-- The quarters in which somebody took reports: none counted in one of them is a zero, none counted
-- in another is not known.
create table report_quarters (
  quarter_at timestamptz primary key
);

-- The last batch of counts that each control plane has written: sent again after an answer that got
-- lost, a batch counts once.
create table report_writers (
  id uuid primary key,
  sequence bigint not null,
  written_at timestamptz not null
);
