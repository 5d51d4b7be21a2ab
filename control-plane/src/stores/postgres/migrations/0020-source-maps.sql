-- Source maps of error projects, by the debug id that a build put into its files. Deleted ones stay
-- until no batch of events that is under way can need them (deleted_at, purge).
create table error_source_maps (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  project_id uuid not null references error_projects on delete cascade,
  debug_id uuid not null,
  -- those that came together
  upload_id uuid not null,
  file text not null,
  release text,
  -- JSON, packed by gzip
  packed bytea not null,
  -- what it takes in memory once it is read, about
  read_bytes bigint not null check (read_bytes >= 0),
  uploaded_at timestamptz not null,
  -- when a batch of events last needed it, to a day; the instant of its upload before that
  used_at timestamptz not null,
  deleted_at timestamptz
);
-- packed already
alter table error_source_maps alter column packed set storage external;
create unique index error_source_maps_current on error_source_maps (project_id, debug_id)
  where deleted_at is null;
create index error_source_maps_upload on error_source_maps (project_id, upload_id);
create index error_source_maps_account on error_source_maps (account_id);
create index error_source_maps_used on error_source_maps (used_at) where deleted_at is null;
create index error_source_maps_deleted on error_source_maps (deleted_at) where deleted_at is not null;
call isolate('error_source_maps');

-- Pieces of uploads that are under way, by what they hold.
create table error_upload_chunks (
  account_id uuid not null references accounts on delete cascade,
  sha1 bytea not null check (octet_length(sha1) = 20),
  bytes bytea not null,
  uploaded_at timestamptz not null,
  primary key (account_id, sha1)
);
alter table error_upload_chunks alter column bytes set storage external;
create index error_upload_chunks_age on error_upload_chunks (uploaded_at);
call isolate('error_upload_chunks');

-- The maps that a batch is read by, decided with it: [project id, debug id, map id], the last null
-- where the batch needs too many.
alter table error_batches add column source_maps jsonb not null default '[]';
