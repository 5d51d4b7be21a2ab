// The part of an agent between a run and the stream, in a process of its own: its spool and publisher on the
// NATS bus. It records prepared readings as fast as they are stored.
import { setImmediate as yieldToLoop, setTimeout as wait } from 'node:timers/promises'
import { join } from 'node:path'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { createAgentMetrics } from '@probe-mesh/probe-agent/src/run/agent-metrics'
import { createPublisher } from '@probe-mesh/probe-agent/src/publish/publisher'
import { recordReading } from '@probe-mesh/probe-agent/src/record-reading'
import { openSpool } from '@probe-mesh/probe-agent/src/publish/spool/spool'
import { Registry } from 'prom-client'
import { answerParent } from '../harness/child.ts'
import { benchMessages, type Workload } from '../harness/bench-readings.ts'
import { openAgentBus } from './agent-bus.ts'

export type RecordingQuestion =
  | {
      kind: 'start'
      region: Region
      agent: string
      folder: string
      natsUrl: string
      credentialsFile: string
    }
  | { kind: 'prepare'; workload: Workload }
  | { kind: 'record' }
  | { kind: 'stop' }

/** When the first reading was recorded, and when the spool was empty again, Unix ms. */
export type RecordedAnswer = { readings: number; firstAtMs: number; releasedAtMs: number }

/** An agent's default. */
const spoolBytesMax = 256 * 1024 * 1024
/** Recorded and not yet stored: more than ingest and the stream process at a time. */
const unreleasedMax = 50_000
const readingsPerTurn = 100
const pollMs = 5

const clockMs = (): number => performance.timeOrigin + performance.now()

type Recorder = {
  prepare(workload: Workload): void
  record(): Promise<RecordedAnswer>
  close(): Promise<void>
}

const start = async (question: RecordingQuestion & { kind: 'start' }): Promise<Recorder> => {
  const { region, agent, folder } = question
  const bus = await openAgentBus(question)
  const spool = openSpool({
    directory: join(folder, 'spool'),
    bytesMax: spoolBytesMax,
    now: Date.now,
  })
  const metrics = createAgentMetrics(new Registry(), region)
  const publisher = createPublisher({
    agent,
    region,
    directory: folder,
    spool,
    bus,
    now: Date.now,
    random: Math.random,
    log: silentLogger,
    onOutcome: metrics.published,
  })
  let readings: Reading[] = []
  const parts = { spool, journal: null, publisher, metrics }
  return {
    prepare: (workload) => {
      readings = benchMessages(workload)
        .filter((message) => message.region === region)
        .flatMap((message) => message.readings)
        .toSorted((a, b) => a.slot - b.slot)
    },
    record: async () => {
      const firstAtMs = clockMs()
      for (const [at, reading] of readings.entries()) {
        if (at % readingsPerTurn === 0) {
          await yieldToLoop()
          while (spool.stats().readings >= unreleasedMax) await wait(pollMs)
        }
        recordReading(parts, reading)
      }
      while (spool.stats().readings > 0) await wait(pollMs)
      return { readings: readings.length, firstAtMs, releasedAtMs: clockMs() }
    },
    close: async () => {
      await publisher.close()
      spool.close()
      await bus.close()
    },
  }
}

let recorder: Recorder | null = null

answerParent<RecordingQuestion>(async (question) => {
  switch (question.kind) {
    case 'start':
      recorder = await start(question)
      return null
    case 'prepare':
      recorder?.prepare(question.workload)
      return null
    case 'record':
      return recorder?.record()
    case 'stop':
      await recorder?.close()
      return null
    default:
      return question satisfies never
  }
})
