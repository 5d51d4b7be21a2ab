import { once } from 'node:events'
import { X509Certificate } from 'node:crypto'
import tls from 'node:tls'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, onTestFinished, test } from 'vitest'
import { chainEndOf, issuerThatEnds } from './chain-end.ts'
import { createTrust } from './connect.ts'
import { seenCertificate } from './seen-certificate.ts'
import { ask, resolverOf } from './testing/ask.ts'
import { chainCases, createChains, type ChainCase } from './testing/chains.ts'
import { portOf } from './testing/raw-server.ts'

const nowMs = Date.now()
const chains = useOnce(() => createChains(testFolder('chains-'), 'chain.example.com', nowMs))

/** The outcome of a request to a server that sends these certificates. */
const askServer = async ({ sent, known }: Pick<ChainCase, 'sent' | 'known'>) => {
  const [own = 'leaf'] = sent
  const cert = sent.map(chains.pem).join('')
  const server = tls.createServer({ key: chains.key(own), cert }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const resolver = resolverOf({ 'chain.example.com': ['127.0.0.1'] })
  return ask(
    `https://chain.example.com:${portOf(server)}/`,
    {},
    { resolver, trust: createTrust(known.map(chains.pem)) },
  )
}

test.each(chainCases)(
  'clients accept it until "$ends" ends: $title',
  async ({ sent, known, ends, cause }) => {
    const outcome = await askServer({ sent, known })
    expect(outcome.ok ? undefined : outcome.cause).toBe(cause)
    expect(new Date(outcome.certificateExpiresAt ?? 0)).toEqual(new Date(chains.expiresAt(ends)))
  },
)

test('a certificate above that ends first is named, with the reason of a failure', async () => {
  const short = await askServer({ sent: ['leaf', 'intShort'], known: ['root'] })
  const { certificate } = short
  expect(certificate && seenCertificate(certificate, undefined, issuerThatEnds(certificate)).endsWith).toBe(
    'Test, int',
  )
  expect(await askServer({ sent: ['leaf', 'intOld'], known: ['root'] })).toMatchObject({
    cause: 'certificate_expired',
    reason: expect.stringContaining('above that of the server'),
  })
  expect(await askServer({ sent: ['leafOld', 'int'], known: ['root'] })).toMatchObject({
    reason: 'the certificate has expired',
  })
})

test('what a server sends in circles and in masses takes bounded work', () => {
  const parsed = chainCases.flatMap(({ sent }) => sent).map((id) => new X509Certificate(chains.pem(id)))
  const [own] = parsed
  if (own === undefined) throw new Error('no certificate')
  const linked = (certificates: readonly X509Certificate[]): X509Certificate =>
    certificates
      .toReversed()
      .reduce((next, each) => Object.defineProperty(each, 'issuerCertificate', { value: next }))
  const authorities = (['root', 'root2'] as const).map((id) => new X509Certificate(chains.pem(id)))
  expect(chainEndOf(linked(parsed), authorities, nowMs).expiresAt).toBe(chains.expiresAt('leaf'))
})
