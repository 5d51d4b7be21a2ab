import { pause } from '@probe-mesh/runtime/pause'
import { join } from 'node:path'
import type { AgentOptions } from './agent-options.ts'
import { openJournal } from './journal.ts'
import type { AgentMetrics } from './run/agent-metrics.ts'
import { createPublisher } from './publish/publisher.ts'
import { openSpool } from './publish/spool/spool.ts'

/** A stop waits this long for the bus to accept readings, ms; the rest stays in the spool. */
const stopFlushMsMax = 2_000

/** What survives a kill: the spool, the journal, and the publisher that empties the spool. */
export const openStore = ({ config, bus, now, log, random }: AgentOptions, metrics: AgentMetrics) => {
  const { agent, region } = config
  const directory = join(config.dataDirectory, 'spool', agent)
  const spool = openSpool({ directory, bytesMax: config.spoolBytesMax, now })
  const journal = config.journalPath === null ? null : openJournal({ path: config.journalPath, spool, log })
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
      log.error({ err: error }, 'dropping old readings from the spool failed')
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
