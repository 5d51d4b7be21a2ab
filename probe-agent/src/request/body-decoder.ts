import type { Transform } from 'node:stream'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { decoderOf, isKnown, type KnownCoding } from './content-coding.ts'
import { badEncoding } from './failure.ts'
import type { Body, Failure } from './outcome.ts'

/** Decodes the bytes of a body, and stores no more than needed. */
type BodyDecoder = {
  write(chunk: Buffer): void
  end(): void
  /** Stops early: the decoded bytes are the body. */
  cut(): void
  close(): void
}

/**
 * Two limits, which also limit memory: `limits.bodyBytesMax` decoded and `limits.encodedBytesMax`
 * received.
 * @param keep false stores nothing: the body is null
 * @param onDone called at most once, with the body or a failure; never after `close`
 */
export const createBodyDecoder = (
  coding: string | null,
  onDone: (result: Body | null | { failure: Failure }) => void,
  keep = true,
): BodyDecoder => {
  const known = coding !== null && isKnown(coding) ? coding : null
  const undecoded = known === null ? coding : null
  const chunks: Buffer[] = []
  let decodedBytes = 0
  let encodedBytes = 0
  let decoder: Transform | null = null
  let open = true
  let ended = false

  const done = (result: Body | null | { failure: Failure }): void => {
    if (!open) return
    open = false
    decoder?.destroy()
    onDone(result)
  }
  const finish = (truncated: boolean): void => {
    if (!keep) return done(null)
    const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    done({ bytes, truncated, undecoded })
  }
  const store = (chunk: Buffer): void => {
    if (!open) return
    const room = limits.bodyBytesMax - decodedBytes
    decodedBytes += chunk.length
    if (keep) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    if (decodedBytes > limits.bodyBytesMax) finish(true)
  }
  const startDecoder = (coding: KnownCoding, first: Buffer): Transform => {
    const started = decoderOf(coding, first)
    started.on('data', store)
    started.once('end', () => finish(encodedBytes > limits.encodedBytesMax))
    started.on('error', () =>
      encodedBytes > limits.encodedBytesMax ? finish(true) : done({ failure: badEncoding }),
    )
    return started
  }
  const end = (): void => {
    if (ended) return
    ended = true
    if (decoder === null) finish(false)
    else decoder.end()
  }
  return {
    write: (chunk) => {
      if (ended || !open) return
      if (known === null) return store(chunk)
      decoder ??= startDecoder(known, chunk)
      encodedBytes += chunk.length
      decoder.write(chunk)
      if (encodedBytes > limits.encodedBytesMax) end()
    },
    end,
    cut: () => finish(true),
    close: () => {
      open = false
      decoder?.destroy()
    },
  }
}
