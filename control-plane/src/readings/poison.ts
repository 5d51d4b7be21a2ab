import type { StreamMessage } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { DecodedMessage } from './decode.ts'

/** A message or a reading that could not be read, as it is kept. */
export type Poison = {
  id: string
  partition: number
  sequence: number
  /** Who sent it, for its share of what is kept: a region, which a private agent is alone. */
  owner: string
  reason: string
  payload: Uint8Array
  receivedAtMs: number
}

export const poisonPayloadBytesMax = 64 * 1024
const reasonCharactersMax = 500

/** The owner of what cannot be said of anybody. */
export const unknownOwner = 'unknown'

export const toPoison = (
  source: StreamMessage,
  { owner, reason, payload }: Pick<Poison, 'owner' | 'reason' | 'payload'>,
  nowMs: number,
): Poison => ({
  id: uuidv7(nowMs),
  partition: source.partition,
  sequence: source.sequence,
  owner,
  // it may quote what was sent, of which Postgres takes neither NUL nor half of a surrogate pair
  reason: reason.slice(0, reasonCharactersMax).replaceAll('\0', '\ufffd').toWellFormed(),
  payload: payload.subarray(0, poisonPayloadBytesMax),
  receivedAtMs: source.storedAt,
})

/** Who sent a message: the region whose credentials did, else the one that it names itself. */
export const ownerOf = ({ source, sender }: Pick<DecodedMessage, 'source' | 'sender'>): string =>
  source.region ?? sender?.region ?? unknownOwner

export const poisonOf = (decoded: readonly DecodedMessage[], nowMs: number): Poison[] =>
  decoded.flatMap((message) =>
    message.poison.map((part) =>
      toPoison(message.source, { ...part, owner: ownerOf(message) }, nowMs),
    ),
  )

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
