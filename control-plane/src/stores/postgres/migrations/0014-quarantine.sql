-- Regions whose own network was taken for broken: whichever control plane sees it first writes the
-- row and tells the operator. No row belongs to an account.
create table region_quarantines (
  id uuid primary key,
  region text not null,
  -- when the first of the failures was measured
  since timestamptz not null,
  -- null while it lasts
  ended_at timestamptz,
  -- distinct hosts that were compared, and those of them that failed in this region only
  hosts integer not null,
  failing integer not null,
  -- {"examples": [host]}
  evidence jsonb not null
);
create unique index region_quarantines_open on region_quarantines (region) where ended_at is null;
create index region_quarantines_newest on region_quarantines (since desc);
