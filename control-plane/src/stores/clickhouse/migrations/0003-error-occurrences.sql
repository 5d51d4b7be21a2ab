create table if not exists error_occurrences (
  project_id UUID CODEC(ZSTD(1)),
  issue_id UUID CODEC(ZSTD(1)),
  at DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  event_id UUID CODEC(ZSTD(1)),
  received_at DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  level LowCardinality(String) CODEC(ZSTD(1)),
  platform LowCardinality(String) CODEC(ZSTD(1)),
  release Nullable(String) CODEC(ZSTD(1)),
  environment Nullable(String) CODEC(ZSTD(1)),
  transaction Nullable(String) CODEC(ZSTD(1)),
  type Nullable(String) CODEC(ZSTD(1)),
  message String CODEC(ZSTD(3)),
  frames String CODEC(ZSTD(3)),
  tags String CODEC(ZSTD(3)),
  context String CODEC(ZSTD(3)),
  batch UUID CODEC(ZSTD(1)),
  keep_days UInt16 CODEC(T64, ZSTD(1))
)
engine = MergeTree
partition by toYYYYMM(at)
order by (project_id, issue_id, at)
ttl toDateTime(at) + toIntervalDay(keep_days)
settings non_replicated_deduplication_window = 10000;
