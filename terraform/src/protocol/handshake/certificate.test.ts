import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, connect } from 'node:tls'
import { expect, test } from 'vitest'
import { createCertificate, integer, time } from './certificate.ts'

const now = new Date('2026-05-06T07:08:09Z')

test('is a self-signed authority for localhost, for servers and clients', () => {
  const certificate = new X509Certificate(createCertificate(now).der)
  expect(certificate.ca).toBe(true)
  expect(certificate.checkIssued(certificate)).toBe(true)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.checkHost('localhost')).toBe('localhost')
  expect(certificate.checkHost('example.com')).toBeUndefined()
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
  expect(certificate.validFromDate.toISOString()).toBe('2026-05-05T07:08:09.000Z')
  expect(certificate.validToDate.toISOString()).toBe('2036-05-03T07:08:09.000Z')
})

test('has its own key and serial number', () => {
  const [one, other] = [createCertificate(now), createCertificate(now)]
  expect(one.privateKey).not.toBe(other.privateKey)
  expect(new X509Certificate(one.der).serialNumber).not.toBe(new X509Certificate(other.der).serialNumber)
})

test('verifies both sides over TLS 1.2 and newer', async () => {
  const [own, theirs] = [createCertificate(new Date()), createCertificate(new Date())]
  const server = createServer(
    { cert: own.pem, key: own.privateKey, ca: theirs.pem, requestCert: true },
    (socket) => socket.end('hello'),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const to = { port: port ?? 0, host: '127.0.0.1', servername: 'localhost', ca: own.pem }
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const socket = connect({ ...to, cert: theirs.pem, key: theirs.privateKey, maxVersion })
    const [data] = (await once(socket, 'data')) as [Buffer]
    expect([String(data), socket.authorized]).toEqual(['hello', true])
    socket.destroy()
  }
  server.close()
})

test('encodes years from 2050 with four digits, and numbers as positive', () => {
  expect(time(new Date('2049-12-31T23:59:59Z')).subarray(2).toString()).toBe('491231235959Z')
  expect(time(new Date('2050-01-01T00:00:00Z')).subarray(2).toString()).toBe('20500101000000Z')
  expect(integer(Buffer.of(0x7f))).toEqual(Buffer.of(2, 1, 0x7f))
  expect(integer(Buffer.of(0x80))).toEqual(Buffer.of(2, 2, 0, 0x80))
})
