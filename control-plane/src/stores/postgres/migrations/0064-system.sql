-- Which system this database is of: one row, written by the first control plane that starts on it.
-- ClickHouse and NATS carry the same id, so that a start on parts of two systems is refused.
create table system (
  one boolean primary key default true check (one),
  id uuid not null,
  -- when ClickHouse got the id: from then on a ClickHouse without it is another one
  clickhouse_marked_at timestamptz
);

-- A constant, sealed by SECRETS_KEY: a control plane with another key cannot open it.
create table secrets_proof (
  one boolean primary key default true check (one),
  sealed bytea not null
);
