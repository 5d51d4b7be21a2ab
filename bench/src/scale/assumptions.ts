/**
 * What is assumed and not measured. Prices are list prices without discounts, in US dollars, as their
 * provider published them in 2025; they were not looked up again on `pricesAsOf`.
 */
export const assumptions = {
  pricesAsOf: '2026-11-22',
  hoursPerMonth: 730,
  /** Of a core that a process with one main thread may be busy: beyond, latencies bend (performance.md 1). */
  busyShareMax: 0.5,
  /** Readings of the mean check and copies of them. */
  clickhouseReplicas: 2,
  natsReplicas: 3,
  postgresServers: 2,
  /** Of a disk that may be full, and of a volume's size that one ClickHouse server should hold. */
  diskShareMax: 0.7,
  clickhouseBytesPerServer: 8e12,
  /** Merges write what was inserted so many times again, and take as much CPU as inserting does. */
  mergeFactor: 2,
  /** What a primary should write of its log, sustained: as much again goes to its standby. */
  walBytesPerSecondMax: 100e6,
  /** Cores that one Postgres server, and one NATS server, can put to use. */
  postgresCoresMax: 32,
  /** Cores that the leader of one stream can put to use: its messages are written one after another. */
  streamCoresMax: 1,
  /** What a run over https sends to its target, bytes: a handshake and one request. */
  probeOutwardBytes: 1_500,
  machines: {
    agent: { name: 'c7a.2xlarge', cores: 8, gib: 16, dollarsPerHour: 0.41056 },
    general: { name: 'm7a.2xlarge', cores: 8, gib: 32, dollarsPerHour: 0.46368 },
    store: { name: 'r7a.4xlarge', cores: 16, gib: 128, dollarsPerHour: 1.2172 },
    database: { name: 'm7a.8xlarge', cores: 32, gib: 128, dollarsPerHour: 1.85472 },
  },
  /** A network volume, and what leaves a region for another, dollars per GB. */
  volumePerGbMonth: 0.08,
  regionTrafficPerGb: 0.02,
  outwardTrafficPerGb: 0.09,
} as const

export type Assumptions = typeof assumptions
