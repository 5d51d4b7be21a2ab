import type { Transform } from 'node:stream'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { decoderOf, isKnown } from './content-coding.ts'
import type { KnownCoding } from './content-coding.ts'
import { badEncoding } from './failure.ts'
import type { Body, Failure } from './outcome.ts'

/** Takes a body's bytes off the wire, decodes them, and holds no more than may be needed. */
export type Intake = {
  write(chunk: Buffer): void
  end(): void
  /** No more comes, though there is more: what was decoded so far is the body. */
  cut(): void
  close(): void
}

/**
 * Two bounds, for memory too, since a decoder hands out its output piece by piece and is destroyed
 * at the bound: `limits.bodyBytesMax` decoded and `limits.encodedBytesMax` from the wire.
 * @param keep false holds nothing: the body is then null
 * @param onDone called once at most, with the body or why there is none; never after `close`
 */
export const createIntake = (
  coding: string | null,
  onDone: (result: Body | null | { failure: Failure }) => void,
  keep = true,
): Intake => {
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
  const take = (chunk: Buffer): void => {
    if (!open) return
    const room = limits.bodyBytesMax - decodedBytes
    decodedBytes += chunk.length
    if (keep) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    if (decodedBytes > limits.bodyBytesMax) finish(true)
  }
  const startDecoder = (coding: KnownCoding, first: Buffer): Transform => {
    const started = decoderOf(coding, first)
    started.on('data', take)
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
      if (known === null) return take(chunk)
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
