import { join } from 'node:path'
import type { Logger } from '@probe-mesh/bus/logger'
import type { Bus, Subscription } from '@probe-mesh/bus/port'
import type { Registry } from 'prom-client'
import manifest from '../package.json' with { type: 'json' }
import type { AgentConfig } from './config.ts'
import { openJournal } from './journal.ts'
import { createAgentMetrics, type AgentMetrics } from './metrics.ts'
import { keepSubscribed } from './publish/keep-subscribed.ts'
import { pause } from './publish/pause.ts'
import { createPublisher } from './publish/publisher.ts'
import { recordReading } from './record-reading.ts'
import { createReporter } from './report-metrics.ts'
import { answerRun } from './slots/answer-run.ts'
import { createDispatcher } from './slots/dispatcher.ts'
import type { Run } from './slots/run.ts'
import { createScheduler } from './slots/scheduler.ts'
import { takeAssignments } from './slots/take-assignments.ts'
import { openSpool } from './spool/spool.ts'

/** A stop waits so long for runs in progress, ms: with the flush, less than the 15 s of a stop. */
export const stopRunsMsMax = 8_000
/** And then so long for the bus to take what they read, ms; the rest stays in the spool. */
export const stopFlushMsMax = 2_000

const reportMs = 1_000
const dropOldMs = 60_000

export type AgentOptions = {
  config: AgentConfig
  bus: Bus
  run: Run
  /** Unix ms */
  now: () => number
  log: Logger
  registry: Registry
  /** In [0, 1); Math.random when absent */
  random?: () => number
}

export type Agent = {
  /** How many assignments run here. */
  readonly assignments: number
  /** Stops taking slots, ends what runs, publishes what it can, and lets go of the disk. */
  close(): Promise<void>
}

const setTimer = (delayMs: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}

/**
 * Starts one agent: its region's assignments -> slots -> runs -> spool -> stream. It probes on
 * while the bus is away, and may be killed at any moment: what it spooled is published by its
 * next life.
 */
export const startAgent = async (options: AgentOptions): Promise<Agent> => {
  const { config, now, log } = options
  const metrics = createAgentMetrics(options.registry, config.region)
  const store = openStore(options, metrics)
  const onBug = (error: unknown) => {
    metrics.bug()
    log.error({ err: error }, 'a run failed for a bug of the probe')
  }
  const dispatcher = createDispatcher({
    run: options.run,
    now,
    onReading: (reading) => recordReading({ ...store, metrics }, reading),
    onStart: (lateMs) => metrics.started(lateMs),
    onBug,
  })
  const scheduler = createScheduler({ now, setTimer, onDue: dispatcher.submit })
  const subscriptions = subscribe(options, {
    assignments: takeAssignments({
      region: config.region,
      scheduler,
      log,
      onRefused: metrics.assignmentRefused,
    }),
    run: answerRun({ ...config, dispatcher, onRefused: metrics.runRefused }),
  })
  const report = createReporter({ ...store, scheduler, dispatcher, metrics })
  const timers = [setInterval(report, reportMs), setInterval(store.dropOld, dropOldMs)]

  const stop = async () => {
    scheduler.close()
    await Promise.all(subscriptions.map((subscription) => subscription.close()))
    await dispatcher.close(stopRunsMsMax)
    for (const timer of timers) clearInterval(timer)
    await store.close()
    report()
  }
  let stopped: Promise<void> | null = null
  return {
    get assignments() {
      return scheduler.size
    },
    close: () => (stopped ??= stop()),
  }
}

/** What outlives a kill: spool, journal, and the publisher that empties the spool. */
const openStore = ({ config, bus, now, log, random }: AgentOptions, metrics: AgentMetrics) => {
  const { agent, region } = config
  const directory = join(config.dataDirectory, 'spool', agent)
  const spool = openSpool({ directory, bytesMax: config.spoolBytesMax, now })
  const journal =
    config.journalPath === null ? null : openJournal({ path: config.journalPath, spool, log })
  const publisher = createPublisher({
    agent,
    region,
    directory,
    spool,
    bus,
    now,
    random: random ?? Math.random,
    log,
    onOutcome: metrics.published,
  })
  const dropOld = () => {
    try {
      spool.dropOld()
    } catch (error) {
      log.error({ err: error }, 'what is too old stays in the spool for now')
    }
  }
  const close = async () => {
    const flushed = new AbortController()
    const flushing = publisher.flush().finally(() => flushed.abort())
    await Promise.race([flushing, pause(stopFlushMsMax, flushed.signal)])
    await publisher.close()
    journal?.close()
    spool.close()
  }
  return { spool, journal, publisher, dropOld, close }
}

const subscribe = (
  { config, bus, now, log, random = Math.random }: AgentOptions,
  handlers: {
    assignments: ReturnType<typeof takeAssignments>
    run: ReturnType<typeof answerRun>
  },
): Subscription[] => {
  const { agent, region } = config
  const presence = { agent, region, version: manifest.version, startedAt: now() }
  const keep = (what: string, subscription: () => Promise<Subscription>) =>
    keepSubscribed(subscription, { what, random, log })
  return [
    keep('the assignments', () => bus.assignments.watch(region, handlers.assignments)),
    keep('the runs asked for', () => bus.runs.serve(region, handlers.run)),
    keep('the presence', () => bus.presence.announce(presence)),
  ]
}
