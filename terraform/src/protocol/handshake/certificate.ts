import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import {
  bits,
  explicitField,
  identifier,
  implicitField,
  integer,
  octets,
  sequence,
  setOf,
  text,
  time,
  yes,
} from './der.ts'

const dayMs = 86_400_000
const validDays = 3650

const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'))
const localhost = sequence(setOf(sequence(identifier('2.5.4.3'), text('localhost'))))

const extension = (id: string, value: Uint8Array, isCritical = false): Buffer =>
  sequence(identifier(id), ...(isCritical ? [yes()] : []), octets(value))
const extensions = sequence(
  // an authority: whoever trusts it verifies it against itself
  extension('2.5.29.19', sequence(yes()), true),
  // digital signature, key agreement, signing of certificates
  extension('2.5.29.15', bits(Buffer.of(0b1000_1100), 2), true),
  // of servers and of clients
  extension(
    '2.5.29.37',
    sequence(identifier('1.3.6.1.5.5.7.3.1'), identifier('1.3.6.1.5.5.7.3.2')),
  ),
  extension('2.5.29.17', sequence(implicitField(2, Buffer.from('localhost')))),
)

export type Certificate = { der: Buffer; pem: string; privateKey: string }

/**
 * A certificate for `localhost` that signs itself, as Terraform wants one of each process. Node makes
 * keys and signatures but no certificates, and a library for them costs more than the whole start.
 */
export const createCertificate = (now: Date): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const content = sequence(
    explicitField(0, integer(Buffer.of(2))),
    // of sixteen bytes, the first of which is not the sign
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    localhost,
    sequence(
      time(new Date(now.getTime() - dayMs)),
      time(new Date(now.getTime() + validDays * dayMs)),
    ),
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
