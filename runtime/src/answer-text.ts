import { hash } from 'node:crypto'
import { compress, inCoding, type CodedText, type Coding } from './compress.ts'

/** An answer that is sent more than once, with what would be computed each time. */
export type AnswerText = {
  readonly json: string
  /** With its quotes, without `W/`. */
  readonly etag: string
  /** Its length in bytes, as `Content-Length` says it. */
  readonly length: string
  /** Its bytes in each coding that a client asked for; null: none did. */
  coded: { readonly bytes: Map<Coding, Buffer>; readonly compressing: CodedText } | null
}

/**
 * @param etag of exactly this text; absent: its hash
 * @param bytes its length; absent: it is counted
 */
export const answerText = (
  json: string,
  etag: string = etagOf(json),
  bytes: number = Buffer.byteLength(json),
): AnswerText => ({ json, etag, length: String(bytes), coded: null })

/** Its bytes in a coding, compressed at the first request for it. @throws where zlib has no memory */
export const codedText = async (text: AnswerText, coding: Coding): Promise<Buffer> => {
  text.coded ??= { bytes: new Map(), compressing: new Map() }
  const { bytes, compressing } = text.coded
  const compressed = await inCoding(compressing, coding, () => compress(text.json, coding))
  bytes.set(coding, compressed)
  return compressed
}

/** The ETag of a text, with its quotes. Every process gives the same. */
export const etagOf = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
