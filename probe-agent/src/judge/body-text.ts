import { TextDecoder } from 'node:util'
import type { Body, Headers } from '../request/outcome.ts'
import { charsetOf } from './charset.ts'

/** A body as text. */
type Decoded = {
  text: string
  /** False: no charset is declared and the bytes are not UTF-8, so that only ASCII in it is sure. */
  isSure: boolean
}

/** Decodes a body as browsers do, or as UTF-8 where nothing declares its charset. */
export const decodeBody = ({ bytes, truncated }: Body, headers: Headers): Decoded => {
  const { encoding, isDeclared } = charsetOf(bytes, headers['content-type'])
  if (isDeclared) return { text: new TextDecoder(encoding).decode(bytes), isSure: true }
  try {
    // a cut may be inside a character
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: truncated })
    return { text, isSure: true }
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), isSure: false }
  }
}

export const bodyText = (body: Body, headers: Headers): string => decodeBody(body, headers).text
