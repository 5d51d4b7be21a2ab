import type { StreamMessage } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { DecodedMessage } from './decode.ts'

/** An unreadable message or reading, as stored. */
export type Poison = {
  id: string
  partition: number
  sequence: number
  /** The sender, whose share it counts against: a region; a private agent is a region of its own. */
  owner: string
  reason: string
  payload: Uint8Array
  receivedAtMs: number
}

export const poisonPayloadBytesMax = 64 * 1024
const reasonCharactersMax = 500

/** The owner if the sender is unknown. */
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
  // it can quote the message, and Postgres stores neither NUL nor half a surrogate pair
  reason: reason.slice(0, reasonCharactersMax).replaceAll('\0', '\ufffd').toWellFormed(),
  payload: payload.subarray(0, poisonPayloadBytesMax),
  receivedAtMs: source.storedAt,
})

/** The sender of a message: the region of its credentials, else the one that it names. */
export const ownerOf = ({ source, sender }: Pick<DecodedMessage, 'source' | 'sender'>): string =>
  source.region ?? sender?.region ?? unknownOwner

export const poisonOf = (decoded: readonly DecodedMessage[], nowMs: number): Poison[] =>
  decoded.flatMap((message) =>
    message.poison.map((part) => toPoison(message.source, { ...part, owner: ownerOf(message) }, nowMs)),
  )

type Place = Pick<StreamMessage, 'partition' | 'sequence' | 'storedAt'>

/** Messages that this process does not read, because reading them crashed a thread. */
export type SetAside = {
  add(message: Place): void
  has(message: Place): boolean
}

/** The reason stored with such a message. */
export const setAsideReason = 'this message crashed the process that read it, and was not read again'

/** The time distinguishes messages with the same sequence after a stream was recreated. */
const keyOf = ({ partition, sequence, storedAt }: Place): string => `${partition}:${sequence}:${storedAt}`

/** Each entry has crashed a thread, so there are few. */
export const createSetAside = (): SetAside => {
  const keys = new Set<string>()
  return {
    add: (message) => void keys.add(keyOf(message)),
    has: (message) => keys.size > 0 && keys.has(keyOf(message)),
  }
}
