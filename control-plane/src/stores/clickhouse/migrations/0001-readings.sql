create table if not exists readings_raw (
  check_id UUID CODEC(ZSTD(1)),
  region LowCardinality(String) CODEC(ZSTD(1)),
  slot DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  kind Enum8('scheduled' = 1, 'confirmation' = 2, 'manual' = 3) CODEC(ZSTD(1)),
  number UInt32 CODEC(T64, ZSTD(1)),
  verdict Enum8('up' = 1, 'down' = 2, 'blocked' = 3, 'unmeasured' = 4) CODEC(ZSTD(1)),
  fault Enum8('none' = 0, 'target' = 1, 'network' = 2, 'probe' = 3) CODEC(ZSTD(1)),
  cause LowCardinality(String) CODEC(ZSTD(1)),
  reason Nullable(String) CODEC(ZSTD(1)),
  http_status UInt16 CODEC(T64, ZSTD(1)),
  latency_ms Nullable(Float32) CODEC(ZSTD(1)),
  dns_ms Nullable(Float32) CODEC(ZSTD(1)),
  connect_ms Nullable(Float32) CODEC(ZSTD(1)),
  tls_ms Nullable(Float32) CODEC(ZSTD(1)),
  ttfb_ms Nullable(Float32) CODEC(ZSTD(1)),
  transfer_ms Nullable(Float32) CODEC(ZSTD(1)),
  attempts UInt8 CODEC(ZSTD(1)),
  late_ms Float32 CODEC(ZSTD(1)),
  address LowCardinality(String) CODEC(ZSTD(1)),
  certificate_expires_at Nullable(DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
  measured_at DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  received_at DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  agent LowCardinality(String) CODEC(ZSTD(1)),
  raw_days UInt16 CODEC(T64, ZSTD(1)),
  hour_days UInt16 CODEC(T64, ZSTD(1))
)
engine = MergeTree
partition by toDate(slot)
order by (check_id, region, slot, kind, number)
ttl toDateTime(slot) + toIntervalDay(raw_days)
settings non_replicated_deduplication_window = 10000;

create table if not exists readings_minute (
  check_id UUID CODEC(ZSTD(1)),
  region LowCardinality(String) CODEC(ZSTD(1)),
  at DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  up SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  down SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  blocked SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  unmeasured SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  latency AggregateFunction(quantilesTDigest(0.5, 0.95, 0.99), Float32) CODEC(ZSTD(1)),
  raw_days SimpleAggregateFunction(max, UInt16) CODEC(ZSTD(1))
)
engine = AggregatingMergeTree
partition by toDate(at)
order by (check_id, region, at)
ttl at + toIntervalDay(raw_days)
settings non_replicated_deduplication_window = 10000;

create materialized view if not exists readings_minute_view to readings_minute as
select
  check_id,
  region,
  toStartOfMinute(toDateTime(slot, 'UTC')) as at,
  countIf(verdict = 'up') as up,
  countIf(verdict = 'down') as down,
  countIf(verdict = 'blocked') as blocked,
  countIf(verdict = 'unmeasured') as unmeasured,
  quantilesTDigestStateIf(0.5, 0.95, 0.99)(ifNull(latency_ms, 0), verdict = 'up' and isNotNull(latency_ms)) as latency,
  max(readings_raw.raw_days) as raw_days
from readings_raw
where kind = 'scheduled'
group by check_id, region, at;

create table if not exists readings_hour (
  check_id UUID CODEC(ZSTD(1)),
  region LowCardinality(String) CODEC(ZSTD(1)),
  at DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  up SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  down SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  blocked SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  unmeasured SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  latency AggregateFunction(quantilesTDigest(0.5, 0.95, 0.99), Float32) CODEC(ZSTD(1)),
  hour_days SimpleAggregateFunction(max, UInt16) CODEC(ZSTD(1))
)
engine = AggregatingMergeTree
partition by toYYYYMM(at)
order by (check_id, region, at)
ttl at + toIntervalDay(hour_days)
settings non_replicated_deduplication_window = 10000;

create materialized view if not exists readings_hour_view to readings_hour as
select
  check_id,
  region,
  toStartOfHour(toDateTime(slot, 'UTC')) as at,
  countIf(verdict = 'up') as up,
  countIf(verdict = 'down') as down,
  countIf(verdict = 'blocked') as blocked,
  countIf(verdict = 'unmeasured') as unmeasured,
  quantilesTDigestStateIf(0.5, 0.95, 0.99)(ifNull(latency_ms, 0), verdict = 'up' and isNotNull(latency_ms)) as latency,
  max(readings_raw.hour_days) as hour_days
from readings_raw
where kind = 'scheduled'
group by check_id, region, at;
