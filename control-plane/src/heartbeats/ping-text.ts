import { pingBodyBytesMax } from '@probe-mesh/contracts/heartbeat/heartbeat'

/**
 * A ping's body as text that can be kept: the first 10 KB, no character cut in two, whatever is not
 * UTF-8 shown as U+FFFD, no NUL (which Postgres cannot hold). null where nothing is left.
 */
export const pingText = (body: Uint8Array): string | null => {
  const kept = body.subarray(0, pingBodyBytesMax)
  // as a stream: a character that the cut divides is left out
  const text = new TextDecoder('utf-8', { ignoreBOM: false }).decode(kept, {
    stream: body.length > kept.length,
  })
  const clean = text.replaceAll('\0', '')
  return clean === '' ? null : clean
}
