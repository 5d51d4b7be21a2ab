import type { StreamMessage } from '@probe-mesh/bus/port'

type Place = Pick<StreamMessage, 'partition' | 'sequence' | 'storedAt'>

/** Messages of the streams that nothing of this process reads, since reading them ended a thread. */
export type SetAside = {
  add(message: Place): void
  has(message: Place): boolean
}

/** What is said of such a message. */
export const setAsideReason =
  'a process died, and reading this message ends whoever does; it was not read again'

/** The instant tells a message from one of the same sequence on a stream that was made anew. */
const keyOf = ({ partition, sequence, storedAt }: Place): string =>
  `${partition}:${sequence}:${storedAt}`

/** Each entry has cost the death of a process, so that there are few. */
export const createSetAside = (): SetAside => {
  const keys = new Set<string>()
  return {
    add: (message) => void keys.add(keyOf(message)),
    has: (message) => keys.size > 0 && keys.has(keyOf(message)),
  }
}
