/** The few values of ASN.1 that a certificate is made of, in DER: a tag, a length, the content. */
const tagged = (tag: number, content: Uint8Array): Buffer => {
  const { length } = content
  const sizes = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...sizes]), content])
}

export const sequence = (...parts: Uint8Array[]): Buffer => tagged(0x30, Buffer.concat(parts))
export const setOf = (...parts: Uint8Array[]): Buffer => tagged(0x31, Buffer.concat(parts))
export const octets = (content: Uint8Array): Buffer => tagged(0x04, content)
export const text = (value: string): Buffer => tagged(0x0c, Buffer.from(value))
export const yes = (): Buffer => tagged(0x01, Buffer.from([0xff]))

/** @param bytes of a number that is not negative, the highest first */
export const integer = (bytes: Uint8Array): Buffer =>
  tagged(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]))

/** @param unused bits at the end of the last byte */
export const bits = (content: Uint8Array, unused = 0): Buffer =>
  tagged(0x03, Buffer.concat([Buffer.of(unused), content]))

/** In dotted form. */
export const identifier = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = rest.flatMap((arc) => {
    const groups = [arc & 0x7f]
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80)
    return groups
  })
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

/** Two digits of the year up to 2049 and four from then on, as RFC 5280 asks. */
export const time = (at: Date): Buffer => {
  const digits = `${at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`
  return at.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits))
}

/** A field known by its number, of which the content is another value (or, `implicit`, bytes). */
export const explicitField = (number: number, value: Uint8Array): Buffer =>
  tagged(0xa0 + number, value)
export const implicitField = (number: number, content: Uint8Array): Buffer =>
  tagged(0x80 + number, content)
