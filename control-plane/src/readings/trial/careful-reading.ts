import type { StreamMessage } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { SetAside } from '../set-aside.ts'
import type { TrialReader } from './trial-reader.ts'

/** Clocks of a stream and of a control plane may differ by so much. */
const skewMs = 60_000

/** Looks at messages before they are read. */
export type CarefulReading = (messages: readonly StreamMessage[]) => Promise<void>

/**
 * Where the former owner of a partition died, what waited there is read in a thread first, and a message that
 * ends the thread is set aside: so a message stops no second process, and a process that was killed for
 * another reason loses none. A partition that was given back in order costs nothing.
 */
export const readCarefully = (capabilities: {
  lease: { readonly partition: number; readonly afterDeath?: boolean }
  kind: 'readings' | 'errors'
  trial: TrialReader
  setAside: SetAside
  log: Pick<Logger, 'error'>
  now: () => number
}): CarefulReading => {
  const { lease, kind, trial, setAside, log, now } = capabilities
  const { partition } = lease
  const takenAtMs = now()
  let isCareful = lease.afterDeath === true
  return async (messages) => {
    const newest = messages.at(-1)
    isCareful &&= newest !== undefined && newest.storedAt <= takenAtMs + skewMs
    if (!isCareful) return
    const unknown = messages.filter((message) => !setAside.has(message))
    try {
      for (const fatal of await trial.fatalOf(unknown)) {
        setAside.add(fatal)
        const { sequence } = fatal
        log.error({ partition, sequence, kind }, 'a message that ends its reader is set aside')
      }
    } catch (error) {
      // better read without care than not at all
      log.error({ err: error, partition, kind }, 'what waited is read without a trial')
      isCareful = false
    }
  }
}
