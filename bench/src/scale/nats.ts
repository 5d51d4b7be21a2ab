import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import { pause } from '@probe-mesh/runtime/pause'
import type { Bus } from '@probe-mesh/bus/port'
import { partitions } from '@probe-mesh/contracts/mesh/partition'
import { createNatsPart } from '@probe-mesh/infra/testing/processes/nats-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { closeAll } from '@probe-mesh/infra/start/processes/close-all'
import { openAgentBus } from '../mesh/agent-bus.ts'
import { childWith, usageOf } from '../mesh/process-tree.ts'
import type { BenchContext } from '../run-bench.ts'

const region = 'fra'
/** Lanes that each wait for the stream before their next message, as those of so many agents do. */
const agents = 16
/** How long control planes leave between acknowledgements, ms. */
const acknowledgeMs = 400
const fetch = { messagesMax: 200, bytesMax: 2 * 2 ** 20, waitMs: 1_000 }

/**
 * What a message of readings costs the NATS server when the readings are spread over many agents: a few
 * in each. Published one at a time by each lane, fetched and acknowledged by two consumers of each
 * partition, as fast as the server takes it.
 */
export const measureNats = async (
  context: BenchContext & { folder: string; messageBytes: number },
): Promise<void> => {
  const { folder, quick, say, report, messageBytes } = context
  const seconds = quick ? 3 : 20
  say(`nats: messages of ${messageBytes} bytes for ${seconds} s`)
  const closers: (() => Promise<void>)[] = []
  try {
    await mkdir(join(folder, 'logs'), { recursive: true })
    const [port = 0] = await freePorts(1)
    const nats = await createNatsPart({ port, regions: [region], folder })
    closers.push(nats.part.close)
    await nats.part.start()
    const natsUrl = `nats://127.0.0.1:${port}`
    const pid = childWith(join(folder, 'nats', 'nats-server.conf'))
    const { authenticator } = await readNatsCredentials(nats.controlPlaneFile)
    const controlPlane = await openNatsBus({
      servers: [natsUrl],
      name: 'bench',
      ...controlPlaneConnection,
      authenticator,
      topology: { regions: [region] },
    })
    closers.push(controlPlane.close)
    const credentialsFile = nats.agentFile(region)
    const agent = await openAgentBus({ region, agent: 'bench', natsUrl, credentialsFile })
    closers.push(agent.close)
    const closing = new AbortController()
    const readers = readAll(controlPlane, closing.signal)
    await publishAll(agent, messageBytes, 2_000)
    const before = usageOf({ nats: pid })['nats']?.cpuSeconds ?? 0
    const startedAt = performance.now()
    const messages = await publishAll(agent, messageBytes, seconds * 1_000)
    const tookSeconds = (performance.now() - startedAt) / 1_000
    const cpuSeconds = (usageOf({ nats: pid })['nats']?.cpuSeconds ?? 0) - before
    closing.abort()
    await readers
    const size = { messageBytes, lanes: agents * partitions.length, messages }
    report({
      figure: 'nats_cpu_per_1000_messages',
      value: (cpuSeconds / messages) * 1_000,
      unit: 'CPU s',
      context: size,
    })
    report({
      figure: 'nats_messages_per_second',
      value: messages / tookSeconds,
      unit: 'messages/s',
      context: { ...size, cores: cpuSeconds / tookSeconds },
    })
  } finally {
    await closeAll(closers)
  }
}

/** @returns how many messages the stream took */
const publishAll = async (bus: Bus, bytes: number, forMs: number): Promise<number> => {
  const startedAt = performance.now()
  const until = startedAt + forMs
  const data = Buffer.alloc(bytes, 'x')
  let published = 0
  const lane = async (partition: number, name: string): Promise<void> => {
    while (performance.now() < until) {
      const messageId = `${name}:${partition}:${startedAt}:${published}`
      await bus.readings.publish({ partition, region, messageId, data })
      published += 1
    }
  }
  await Promise.all(
    Array.from({ length: agents }, (_, n) =>
      partitions.map((partition) => lane(partition, `${region}-${n}`)),
    ).flat(),
  )
  return published
}

const readAll = async (bus: Bus, signal: AbortSignal): Promise<void> => {
  const follow = async (partition: number, name: 'ingest' | 'assess'): Promise<void> => {
    const consumer = await bus.readings.consume(partition, name)
    while (!signal.aborted) {
      const messages = await consumer.fetch({ ...fetch, signal })
      const last = messages.at(-1)
      if (last === undefined) continue
      await consumer.acknowledge(last.sequence)
      await pause(acknowledgeMs, signal)
    }
    await consumer.close()
  }
  await Promise.all(
    partitions.flatMap((partition) => [follow(partition, 'ingest'), follow(partition, 'assess')]),
  )
}
