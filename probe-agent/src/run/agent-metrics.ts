import { createMetrics } from '@probe-mesh/runtime/metrics'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { Histogram, type Registry } from 'prom-client'
import type { PublishOutcome } from '../publish/partition-publisher.ts'

export const metricPrefix = 'probe_mesh_agent_'

/** Metrics of one agent, labelled with its region. Durations are in seconds. */
export type AgentMetrics = {
  started(lateMs: number): void
  read(verdict: Verdict): void
  published(outcome: PublishOutcome): void
  /** Readings that will never be stored, by cause. */
  dropped(cause: DropCause, count: number): void
  slotsSkipped(count: number): void
  assignmentRefused(): void
  runRefused(): void
  cacheLinesDropped(count: number): void
  superseded(): void
  bug(): void
  gauges(values: Record<GaugeName, number>): void
}

export type DropCause = 'spool_full' | 'spool_old' | 'spool_damaged' | 'disk'

const gaugeHelp = {
  assignments: 'Assignments that this agent runs',
  region_assignments: 'Assignments of the whole region',
  members: 'Agents that share the region, this one included',
  runs_in_progress: 'Runs in progress',
  runs_waiting: 'Slots that wait for a run to end',
  spool_readings: 'Readings on disk that are not stored yet',
  spool_bytes: 'Bytes of the spool on disk',
  messages_sent: 'Messages in the stream that are not stored yet',
  clock_ahead_seconds: "How far the machine's clock is ahead of the control planes'",
} as const
type GaugeName = keyof typeof gaugeHelp

const lateSeconds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

type Registered = ReturnType<typeof register>

const register = (registry: Registry) => {
  const metric = createMetrics(registry, metricPrefix)
  const counter = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    metric.counter<Label | 'region'>(name, help, 'region', ...labelNames)
  const gauge = (name: GaugeName) => metric.gauge(name, gaugeHelp[name], 'region')
  return {
    late: new Histogram({
      name: `${metricPrefix}late_seconds`,
      help: 'Delay between a slot and the start of its run',
      labelNames: ['region'],
      buckets: lateSeconds,
      registers: [registry],
    }),
    readings: counter('readings_total', 'Readings, by verdict', 'verdict'),
    messages: counter('messages_total', 'Messages of readings, by outcome', 'outcome'),
    dropped: counter('readings_dropped_total', 'Readings that will never be stored, by cause', 'cause'),
    skipped: counter('slots_skipped_total', 'Slots skipped because of a sleep or a clock step'),
    assignmentsRefused: counter(
      'assignments_refused_total',
      'Assignments that this version does not understand',
    ),
    runsRefused: counter('runs_refused_total', 'Runs on demand that were refused'),
    cacheLinesDropped: counter(
      'assignments_cache_lines_dropped_total',
      'Lines of the assignment cache that could not be read or written',
    ),
    superseded: counter('superseded_total', 'Times another agent took over the name'),
    bugs: counter('bugs_total', 'Runs that failed because of a bug in the probe'),
    gauges: {
      assignments: gauge('assignments'),
      region_assignments: gauge('region_assignments'),
      members: gauge('members'),
      runs_in_progress: gauge('runs_in_progress'),
      runs_waiting: gauge('runs_waiting'),
      spool_readings: gauge('spool_readings'),
      spool_bytes: gauge('spool_bytes'),
      messages_sent: gauge('messages_sent'),
      clock_ahead_seconds: gauge('clock_ahead_seconds'),
    },
  }
}

/** Agents of several regions in one process share a registry. */
const registered = new WeakMap<Registry, Registered>()

/** The metrics of one agent; agents with the same registry differ by their `region`. */
export const createAgentMetrics = (registry: Registry, region: string): AgentMetrics => {
  const all = registered.get(registry) ?? register(registry)
  registered.set(registry, all)
  const late = all.late.labels(region)
  const readings = {
    up: all.readings.labels(region, 'up'),
    down: all.readings.labels(region, 'down'),
    blocked: all.readings.labels(region, 'blocked'),
    unmeasured: all.readings.labels(region, 'unmeasured'),
  } satisfies Record<Verdict, unknown>

  return {
    started: (lateMs) => late.observe(lateMs / 1_000),
    read: (verdict) => readings[verdict].inc(),
    published: (outcome) => all.messages.labels(region, outcome).inc(),
    dropped: (cause, count) => all.dropped.labels(region, cause).inc(count),
    slotsSkipped: (count) => all.skipped.labels(region).inc(count),
    assignmentRefused: () => all.assignmentsRefused.labels(region).inc(),
    runRefused: () => all.runsRefused.labels(region).inc(),
    cacheLinesDropped: (count) => all.cacheLinesDropped.labels(region).inc(count),
    superseded: () => all.superseded.labels(region).inc(),
    bug: () => all.bugs.labels(region).inc(),
    gauges: (values) => {
      for (const name of gaugeNames) all.gauges[name].labels(region).set(values[name])
    },
  }
}

const gaugeNames = [
  'assignments',
  'region_assignments',
  'members',
  'runs_in_progress',
  'runs_waiting',
  'spool_readings',
  'spool_bytes',
  'messages_sent',
  'clock_ahead_seconds',
] as const satisfies GaugeName[]
