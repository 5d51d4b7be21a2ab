import type { StreamMessage } from '@probe-mesh/bus/port'
import { decodeMessage, wholeAsPoison, type DecodedMessage } from './decode.ts'
import { setAsideReason, type SetAside } from './poison.ts'
import { inWork } from '@probe-mesh/runtime/loop-watch'

/** Decoded messages that wait for the second reader; beyond, the oldest are dropped. */
const messagesMax = 2_000
const bytesMax = 32 * 1024 * 1024

/** Decodes messages. @see decodeMessage */
export type Decode = (source: StreamMessage) => DecodedMessage

/**
 * Two loops of a process read the same messages at about the same time. The second one gets the result of the
 * first; neither changes it.
 * @param setAside messages that must not be read
 */
export const createDecodeOnce = (setAside?: SetAside): Decode => {
  const waiting = new Map<string, DecodedMessage>()
  let bytes = 0

  const drop = (key: string, decoded: DecodedMessage): void => {
    waiting.delete(key)
    bytes -= decoded.source.data.length
  }
  return (source) => {
    if (setAside?.has(source) === true) return wholeAsPoison(source, setAsideReason)
    const key = `${source.partition}:${source.sequence}`
    const found = waiting.get(key)
    if (found !== undefined) {
      drop(key, found)
      // a new stream counts from one again
      if (Buffer.compare(found.source.data, source.data) === 0) return found
    }
    const what = `readings ${source.partition}, message ${source.sequence}`
    const decoded = inWork({ kind: 'messages', what, owner: null }, () => decodeMessage(source))
    waiting.set(key, decoded)
    bytes += source.data.length
    for (const [oldest, entry] of waiting) {
      if (waiting.size <= messagesMax && bytes <= bytesMax) break
      drop(oldest, entry)
    }
    return decoded
  }
}
