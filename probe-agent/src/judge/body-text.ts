import { isAscii } from 'node:buffer'
import { TextDecoder } from 'node:util'
import type { Body, Headers } from '../request/outcome.ts'
import { charsetOf } from './charset.ts'

/** A body as text. */
type Decoded = {
  text: string
  /** Why only ASCII in it is sure; null: all of it is. */
  doubt: Doubt | null
}

/** `isOurs`: a browser would read it. */
export type Doubt = { what: string; isOurs: boolean }

/** Decodes a body as browsers do, or as UTF-8 where nothing declares its charset. */
export const decodeBody = ({ bytes, truncated }: Body, headers: Headers): Decoded => {
  const { encoding, isDeclared } = charsetOf(bytes, headers['content-type'])
  if (encoding === 'utf-8' && isAscii(bytes)) return { text: bytes.toString('latin1'), doubt: null }
  if (isDeclared) {
    const text = new TextDecoder(encoding).decode(bytes)
    return { text, doubt: unreadIn[encoding]?.test(text) === true ? unread(encoding) : null }
  }
  try {
    // a cut may be inside a character
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: truncated })
    return { text, doubt: null }
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), doubt: undeclared }
  }
}

const undeclared: Doubt = { what: 'the body is not UTF-8 and declares no charset', isOurs: false }

/** What the decoders of Node write for letters of WHATWG Encoding that they lack: 8,824 syllables of UHC, 4,896 of HKSCS. */
const unreadIn: Readonly<Partial<Record<string, RegExp>>> = {
  'euc-kr': /[\u0080-\u009f\ufffd]/,
  big5: /[\ue000-\uf8ff]/,
}
const unread = (encoding: string): Doubt => ({
  what: `the body has letters of ${encoding} that the probe cannot read`,
  isOurs: true,
})

export const bodyText = (body: Body, headers: Headers): string => decodeBody(body, headers).text
