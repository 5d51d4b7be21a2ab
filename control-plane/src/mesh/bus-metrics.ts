import type { Bus, ConsumerLag, StreamConsumer } from '@probe-mesh/bus/port'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { Gauge, type Registry } from 'prom-client'
import { pause } from '@probe-mesh/runtime/pause'
import type { StreamLag } from './get-mesh.ts'

/** The consumers of a loop, by partition. */
export type Consumers = ReadonlyMap<number, Consumed>

type Consumed = {
  readonly consumer: StreamConsumer
  /** What is done with, and is acknowledged later. */
  readonly judged?: ConsumerLag
}

/** What waits for a consumer. */
const waitingFor = async ({ consumer, judged }: Consumed): Promise<ConsumerLag> => {
  const lag = await consumer.lag()
  if (judged === undefined) return lag
  return {
    messages: Math.max(0, lag.messages - judged.messages),
    bytes: Math.max(0, lag.bytes - judged.bytes),
  }
}

/**
 * Figures of NATS, queried when `/metrics` is read: the lag of each consumer of our partitions, and the
 * agents online. While NATS is unavailable these figures are absent.
 */
export const busMetrics = (
  registry: Registry,
  capabilities: {
    bus: Bus
    regions: readonly Region[]
    consumers: Readonly<Partial<Record<'ingest' | 'assess' | 'persist', Consumers>>>
  },
) => {
  const { bus, regions, consumers } = capabilities
  const registers = [registry]
  const queryLag = async (): Promise<void> => {
    lagMessages.reset()
    lagBytes.reset()
    const asked = Object.entries(consumers).flatMap(([name, held]) =>
      [...held].map(async ([partition, consumed]) => {
        const lag = await waitingFor(consumed)
        lagMessages.set({ consumer: name, partition }, lag.messages)
        lagBytes.set({ consumer: name, partition }, lag.bytes)
      }),
    )
    await Promise.allSettled(asked)
  }
  let querying: Promise<void> | null = null
  /** Two gauges share one query. */
  const queryLagOnce = (): Promise<void> => {
    querying ??= queryLag().finally(() => {
      querying = null
    })
    return querying
  }
  const lagMessages = new Gauge({
    name: 'stream_lag_messages',
    help: 'Messages on a stream that wait for its consumer, by partition; persist: of error events',
    labelNames: ['consumer', 'partition'] as const,
    registers,
    collect: queryLagOnce,
  })
  const lagBytes = new Gauge({
    name: 'stream_lag_bytes',
    help: 'Bytes on a stream that wait for its consumer, by partition; persist: of error events',
    labelNames: ['consumer', 'partition'] as const,
    registers,
    collect: queryLagOnce,
  })
  const agents = new Gauge({
    name: 'presence_agents',
    help: 'Agents online, by region',
    labelNames: ['region'] as const,
    registers,
    async collect() {
      this.reset()
      await Promise.allSettled(
        regions.map(async (region) => {
          this.set({ region }, (await bus.presence.list(region)).length)
        }),
      )
    },
  })
  return { lagMessages, lagBytes, agents }
}

/** A page without the lag is better than a late page, ms. */
const answerMsMax = 1_000

/** The lag of the consumers of this control plane, by partition. */
export const streamLagOf =
  (consumers: Consumers): StreamLag =>
  async () => {
    const lags = new Map<number, number>()
    const waiting = new AbortController()
    const asked = [...consumers].map(async ([partition, { consumer }]) => {
      const { messages } = await consumer.lag()
      lags.set(partition, messages)
    })
    const answered = Promise.allSettled(asked).finally(() => waiting.abort())
    await Promise.race([answered, pause(answerMsMax, waiting.signal)])
    return new Map(lags)
  }
