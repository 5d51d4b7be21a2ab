-- Regions that many hosts accused and that kept their votes, since nothing but accounts' checks said so
-- or since half of the regions had lost theirs: for the operator to see whose hosts they were. No row
-- belongs to an account.
create table region_doubts (
  id uuid primary key,
  region text not null,
  why text not null check (why in ('unconfirmed', 'majority')),
  -- when it was seen first and last
  since timestamptz not null,
  last_at timestamptz not null,
  -- distinct hosts that were compared, and those of them that failed in this region only
  hosts integer not null,
  failing integer not null,
  -- {"refused": n, "examples": [host], "sources": {...}}, as it was seen last
  evidence jsonb not null
);
create index region_doubts_newest on region_doubts (last_at desc);
create index region_doubts_region on region_doubts (region, why, last_at desc);
