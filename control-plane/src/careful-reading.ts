import type { StreamMessage } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { Sql } from './postgres/connect.ts'
import type { Lease } from './postgres/leases.ts'
import { countDeaths, endAttempts, noteAttempt } from './postgres/message-attempts.ts'
import type { FatalRange, StreamReader } from './postgres/message-attempts.ts'
import type { SetAside } from './readings/set-aside.ts'

/** Clocks of a stream and of a control plane may differ by so much. */
const skewMs = 60_000

type Read = (messages: readonly StreamMessage[]) => Promise<void>

/** How a reader takes messages after its partition's former owner died. */
export type CarefulReading = {
  /**
   * Reads messages. Carefully, they are read in parts, each noted in Postgres before: should the process die
   * meanwhile, the next owner knows on which. Otherwise nothing is noted and nothing is read here.
   * @returns whether they were read
   */
  take(messages: readonly StreamMessage[], read: Read): Promise<boolean>
}

/**
 * Finds a message that kills each process that reads it. Only where the former owner of a partition died is what
 * waited there read carefully: all that one fetch brings under one note, and what a process died on so before one
 * message at a time. A message that a process died on by itself is set aside unread. A partition that was
 * given back in order costs nothing.
 */
export const beginReading = async (capabilities: {
  sql: Sql
  lease: Lease
  consumer: StreamReader
  setAside: SetAside
  retry: <T>(attempt: () => Promise<T>) => Promise<T>
  log: Pick<Logger, 'error'>
  now: () => number
}): Promise<CarefulReading> => {
  const { sql, lease, consumer, setAside, retry, log, now } = capabilities
  const { partition } = lease
  const place = { consumer, partition }
  const takenAtMs = now()
  let isCareful = lease.afterDeath === true
  const fatal: FatalRange[] = isCareful ? await retry(() => countDeaths(sql, place, takenAtMs)) : []
  for (const { first, last, storedAtMs } of fatal) {
    if (first !== last) continue
    if (setAside.add({ partition, sequence: first, storedAt: storedAtMs })) {
      log.error(
        { partition, sequence: first, consumer },
        'a message that kills its reader is set aside',
      )
    }
  }

  const note = async (part: readonly StreamMessage[]): Promise<void> => {
    const [first, last] = [part[0], part.at(-1)]
    // of what is set aside nothing is read
    if (first === undefined || last === undefined || setAside.has(first)) return
    await retry(() => noteAttempt(sql, place, { first, last }, now()))
  }
  const isBacklog = (messages: readonly StreamMessage[]): boolean => {
    const newest = messages.at(-1)
    return newest !== undefined && newest.storedAt <= takenAtMs + skewMs
  }
  return {
    take: async (messages, read) => {
      if (!isCareful) return false
      isCareful = isBacklog(messages)
      if (isCareful) {
        for (const part of partsOf(messages, fatal)) {
          await note(part)
          await read(part)
        }
      }
      await retry(() => endAttempts(sql, place, !isCareful))
      return isCareful
    },
  }
}

/** Messages within a fatal range one by one, the others together; in their order. */
const partsOf = (
  messages: readonly StreamMessage[],
  fatal: readonly FatalRange[],
): StreamMessage[][] => {
  const parts: StreamMessage[][] = []
  let together: StreamMessage[] | null = null
  for (const message of messages) {
    const isSuspect = fatal.some(
      ({ first, last }) => message.sequence >= first && message.sequence <= last,
    )
    if (isSuspect) parts.push([message])
    else if (together === null) parts.push((together = [message]))
    else together.push(message)
    if (isSuspect) together = null
  }
  return parts
}
