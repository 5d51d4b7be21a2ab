import { TextDecoder } from 'node:util'
import type { Body, Headers } from '../request/outcome.ts'

const utf8 = new TextDecoder()

/** Decodes a body by the charset of its content type, or as UTF-8. */
export const bodyText = (body: Body, headers: Headers): string => {
  const charset = /;\s*charset="?([\w.:-]{1,40})"?/i.exec(headers['content-type'] ?? '')?.[1]
  return (charset === undefined ? utf8 : decoderFor(charset)).decode(body.bytes)
}

const decoderFor = (charset: string): TextDecoder => {
  try {
    return new TextDecoder(charset)
  } catch {
    return utf8
  }
}
