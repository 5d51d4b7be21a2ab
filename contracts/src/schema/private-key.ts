/** Escapes of JSON and URLs that hide a blank, a dash or a letter from a plain search. */
const escapes = /\\u00([0-9a-f]{2})|%(?:25)?([0-9a-f]{2})|\\[nrt]/gi
const blanks = /[\s\\+]+/g
const unseen = /\p{Cf}/gu
const dashes = /\p{Pd}|\u2212|\u2043/gu

/** A label with dashes around it, as written by hand as well. */
const begin = /(?:-|-- )BEGIN (?:[A-Z0-9 ]{0,60} )?PRIVATE KEY(?: BLOCK)?(?:-| -)/i

/**
 * Whether a text has a private key in PEM, OpenPGP or SSH armour, of any label and also in escapes, on one line, or
 * with other dashes and blanks. Linear in the text.
 */
export const hasPrivateKey = (text: string): boolean =>
  text.length >= charactersMin && begin.test(plain(text))

const charactersMin = '-BEGIN PRIVATE KEY-'.length

const plain = (text: string): string =>
  text
    .replace(escapes, (_, json: string | undefined, url: string | undefined) => {
      const code = json ?? url
      return code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16))
    })
    .replace(unseen, '')
    .replace(dashes, '-')
    .replace(blanks, ' ')

export const privateKeyMessage =
  'contains a private key, which belongs in a secret: create a secret with it, and write {{ secret.name }} here'

/** The paths of all texts of a value, keys included, that have a private key. @param depthMax of fields */
export const privateKeyTexts = (
  value: unknown,
  depthMax: number,
  path: readonly PropertyKey[] = [],
): (readonly PropertyKey[])[] => {
  if (typeof value === 'string') return hasPrivateKey(value) ? [path] : []
  if (typeof value !== 'object' || value === null || path.length === depthMax) return []
  return Object.entries(value).flatMap(([key, part]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key]
    return hasPrivateKey(key) ? [at] : privateKeyTexts(part, depthMax, at)
  })
}

const block = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----/

/**
 * Takes the blocks of private keys out of a text in PEM, such as a certificate that was pasted with its key. A block
 * without its end stays.
 */
export const splitPrivateKeys = (pem: string): { rest: string; keys: string[] } => {
  const keys: string[] = []
  let rest = ''
  let left = pem
  for (;;) {
    const begun = block.exec(left)
    if (begun === null) break
    const end = `-----END ${begun[1]}-----`
    const to = left.indexOf(end, begun.index)
    if (to === -1) break
    keys.push(`${left.slice(begun.index, to)}${end}\n`)
    rest += left.slice(0, begun.index)
    left = left.slice(to + end.length).replace(/^\r?\n/, '')
  }
  return { rest: `${rest}${left}`, keys }
}
