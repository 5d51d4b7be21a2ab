import type { Bus, StreamConsumer } from '@probe-mesh/bus/port'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import { cpuSecondsSince } from '../harness/usage.ts'

/** The longest time for which ingest collects a batch, ms. */
const pollMs = 400
const messagesMax = 10_000
const bytesMax = 64 * 1024 * 1024

/**
 * The stand-in for ingest behind an agent: fetches every message for both consumers, marks it as stored
 * and acknowledges it. It works in one synchronous turn now and then, so that its CPU can be subtracted
 * from that of the process.
 */
export const startStreamReader = async (bus: Bus, agent: { region: string; agent: string }) => {
  const consumers: { ingest: StreamConsumer; assess: StreamConsumer }[] = []
  for (const partition of partitions) {
    consumers.push({
      ingest: await bus.readings.consume(partition, 'ingest'),
      assess: await bus.readings.consume(partition, 'assess'),
    })
  }
  const { signal } = new AbortController()
  let cpuSeconds = 0
  let readings = 0
  let messages = 0
  let overloaded = 0

  /** Without a wait, the in-process bus answers each of these calls before it returns. */
  const take = async (partition: number, ingest: StreamConsumer, assess: StreamConsumer) => {
    const before = process.cpuUsage()
    const fetching = ingest.fetch({ messagesMax, bytesMax, waitMs: 0, signal })
    cpuSeconds += cpuSecondsSince(before)
    const taken = await fetching
    const last = taken.at(-1)
    if (last === undefined) return
    const from = process.cpuUsage()
    const acknowledging = [ingest, assess].map((each) => each.acknowledge(last.sequence))
    const marking = bus.persisted.mark(agent.region, agent.agent, partition, batchOf(last.data))
    messages += taken.length
    for (const { data } of taken) {
      readings += countIn(data, reading)
      overloaded += countIn(data, tooLate)
    }
    cpuSeconds += cpuSecondsSince(from)
    await Promise.all([...acknowledging, marking])
  }
  const takeAll = async () => {
    for (const [partition, { ingest, assess }] of consumers.entries()) {
      await take(partition, ingest, assess)
    }
  }
  const timer = setInterval(() => void takeAll(), pollMs)
  return {
    takeAll,
    /** `overloaded`: the readings of slots that could not start in time, so that there was no run. */
    totals: () => ({ cpuSeconds, readings, messages, overloaded }),
    close: () => clearInterval(timer),
  }
}

/** The batch number, from the head that precedes the readings. */
const batchOf = (data: Uint8Array): number => {
  const head = Buffer.from(data.subarray(0, 256)).toString('latin1')
  return Number(/"batch":(\d+)/.exec(head)?.[1])
}

const reading = Buffer.from('{"checkId":')
const tooLate = Buffer.from('"cause":"probe_overloaded"')

const countIn = (data: Uint8Array, mark: Buffer): number => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let count = 0
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) count++
  return count
}
