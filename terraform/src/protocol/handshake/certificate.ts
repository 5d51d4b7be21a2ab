import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** An ASN.1 value in DER: tag, length, content. */
const tagged = (tag: number, content: Uint8Array): Buffer => {
  const { length } = content
  const sizes = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...sizes]), content])
}

const sequence = (...parts: Uint8Array[]): Buffer => tagged(0x30, Buffer.concat(parts))
const setOf = (...parts: Uint8Array[]): Buffer => tagged(0x31, Buffer.concat(parts))
const octets = (content: Uint8Array): Buffer => tagged(0x04, content)
const text = (value: string): Buffer => tagged(0x0c, Buffer.from(value))
const yes = (): Buffer => tagged(0x01, Buffer.from([0xff]))

/** @param bytes of a non-negative number, big-endian */
export const integer = (bytes: Uint8Array): Buffer =>
  tagged(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]))

/** @param unused bits at the end of the last byte */
const bits = (content: Uint8Array, unused = 0): Buffer =>
  tagged(0x03, Buffer.concat([Buffer.of(unused), content]))

/** In dotted form. */
const identifier = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = rest.flatMap((arc) => {
    const groups = [arc & 0x7f]
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80)
    return groups
  })
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

/** Two digits of the year up to 2049 and four from then on (RFC 5280). */
export const time = (at: Date): Buffer => {
  const digits = `${at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`
  return at.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits))
}

/** A field with a number: `explicit` contains another value, `implicit` bytes. */
const explicitField = (number: number, value: Uint8Array): Buffer => tagged(0xa0 + number, value)
const implicitField = (number: number, content: Uint8Array): Buffer => tagged(0x80 + number, content)

const dayMs = 86_400_000
const validDays = 3650

const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'))
const localhost = sequence(setOf(sequence(identifier('2.5.4.3'), text('localhost'))))

const extension = (id: string, value: Uint8Array, isCritical = false): Buffer =>
  sequence(identifier(id), ...(isCritical ? [yes()] : []), octets(value))
const extensions = sequence(
  // an authority: a peer verifies the certificate against itself
  extension('2.5.29.19', sequence(yes()), true),
  // digital signature, key agreement, signing of certificates
  extension('2.5.29.15', bits(Buffer.of(0b1000_1100), 2), true),
  // of servers and of clients
  extension('2.5.29.37', sequence(identifier('1.3.6.1.5.5.7.3.1'), identifier('1.3.6.1.5.5.7.3.2'))),
  extension('2.5.29.17', sequence(implicitField(2, Buffer.from('localhost')))),
)

type Certificate = { der: Buffer; pem: string; privateKey: string }

/**
 * A self-signed certificate for `localhost`, which Terraform requires of each process. Node creates keys and
 * signatures but no certificates, and a library would cost more time than the rest of the start.
 */
export const createCertificate = (now: Date): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const content = sequence(
    explicitField(0, integer(Buffer.of(2))),
    // sixteen bytes, and the first keeps it positive
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    localhost,
    sequence(time(new Date(now.getTime() - dayMs)), time(new Date(now.getTime() + validDays * dayMs))),
    localhost,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicitField(3, extensions),
  )
  const der = sequence(content, ecdsaWithSha256, bits(sign('sha256', content, privateKey)))
  return {
    der,
    pem: `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
