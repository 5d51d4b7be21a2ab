// PEM blocks and the outer structure of DER, as far as they are read without a key.

export type Block = { label: string; headers: string; der: Buffer }

const beginLine = /-----BEGIN ([A-Z0-9 #.]{1,40})-----/
const pemHeaders = /^\s*((?:[A-Za-z][A-Za-z0-9-]{1,40}: [^\r\n]{0,200}\r?\n){1,10})/

/** A text as an editor would show it: no byte order mark, no quotes around, line breaks instead of their escapes. */
export const plain = (text: string): string => {
  const bare = text.replaceAll(/[\u{FEFF}\u{200B}\u{A0}]/gu, ' ').trim()
  const unquoted = /^(["'])([\s\S]*)\1,?$/.exec(bare)?.[2] ?? bare
  return unquoted.replaceAll(/\\r\\n|\\n|\\r/g, '\n')
}

const base64Only = /^[A-Za-z0-9+/\s]{64,60000}={0,2}\s*$/

export const blocksIn = (text: string): Block[] => {
  const blocks: Block[] = []
  let left = text
  for (;;) {
    const begun = beginLine.exec(left)
    const [line = '', label = ''] = begun ?? []
    const from = (begun?.index ?? 0) + line.length
    const to = left.indexOf(`-----END ${label}-----`, from)
    if (begun === null || to === -1) break
    const content = left.slice(from, to)
    const headers = pemHeaders.exec(content)?.[0] ?? ''
    blocks.push({ label, headers, der: derOf(content.slice(headers.length)) })
    left = left.slice(to)
  }
  return blocks.length === 0 && base64Only.test(text)
    ? [{ label: '', headers: '', der: derOf(text) }]
    : blocks
}

const derOf = (base64: string): Buffer => Buffer.from(base64.replaceAll(/[\s>|]+/g, ''), 'base64')

type Element = { tag: number; whole: Buffer; content: Buffer }

/** The elements of DER, as far as they are whole (X.690 8.1). */
export const elementsOf = (der: Buffer): Element[] => {
  const elements: Element[] = []
  for (let at = 0; at + 2 <= der.length && elements.length < 100;) {
    const tag = der[at] ?? 0
    const short = der[at + 1] ?? 0
    const count = short < 0x80 ? 0 : short - 0x80
    if (short === 0x80 || count > 3 || at + 2 + count > der.length) break
    const from = at + 2 + count
    const to = from + (count === 0 ? short : der.readUIntBE(at + 2, count))
    if (to > der.length) break
    elements.push({ tag, whole: der.subarray(at, to), content: der.subarray(from, to) })
    at = to
  }
  return elements
}

export const signedData = Buffer.from('2a864886f70d010702', 'hex')

/** RFC 7292 4: version 3, then the content. */
export const isPkcs12 = (der: Buffer): boolean => {
  const [outer] = elementsOf(der)
  const [version, content] = elementsOf(outer?.content ?? Buffer.alloc(0))
  return version?.tag === 0x02 && version.content.equals(Buffer.from([3])) && content?.tag === 0x30
}

/** RFC 5958 3: EncryptedPrivateKeyInfo. */
export const isEncrypted = (der: Buffer): boolean => {
  const [outer] = elementsOf(der)
  const [algorithm, data] = elementsOf(outer?.content ?? Buffer.alloc(0))
  return algorithm?.tag === 0x30 && data?.tag === 0x04
}
