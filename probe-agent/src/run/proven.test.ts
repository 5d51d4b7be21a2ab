import { once } from 'node:events'
import tls from 'node:tls'
import { TcpSettings } from '@probe-mesh/check-types/tcp/settings'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTrust } from '../request/connect.ts'
import { resolverOf } from '../request/testing/ask.ts'
import { createCertificates, type KeyPair } from '../request/testing/certificates.ts'
import { portOf } from '../request/testing/raw-server.ts'
import { createConnectivity, type Canary } from './connectivity.ts'
import { answering, assignmentOf, setUp, unavailable } from './testing/run.ts'

const own = useOnce(() => createCertificates())
const stranger = useOnce(() => createCertificates())
afterAll(() => {
  own.remove()
  stranger.remove()
})

const host = 'site.example.com'
const july = { from: '20260701000000Z', to: '20260702000000Z' }
const later = { from: '20990701000000Z', to: '20990702000000Z' }
const byTls: Canary = { host: 'canary.example.net', port: 443 }
const byTcp: Canary = { host: 'canary.example.net', port: 53 }

const serve = async (pair: KeyPair): Promise<number> => {
  const server = tls.createServer(pair, (socket) => socket.on('error', () => socket.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return portOf(server)
}
/** @param reached canaries that answer */
const start = (canaries: readonly Canary[], reached: readonly Canary[] = canaries) =>
  setUp({
    resolver: resolverOf({ [host]: ['127.0.0.1'] }),
    trust: createTrust([own.ca]),
    connectivity: createConnectivity({ canaries, reach: async (canary) => reached.includes(canary) }),
  })
const measured = async (pair: KeyPair, ...canaries: Parameters<typeof start>): Promise<string> => {
  const { run } = start(...canaries)
  const { verdict, cause, proven = false } = await run(`https://${host}:${await serve(pair)}/`)
  return `${verdict} ${cause} ${proven ? 'proven' : 'unproven'}`
}

describe('a certificate proves that the target answered', () => {
  test.each<[what: string, () => KeyPair, cause: string]>([
    ['expired', () => own.leaf(host, july), 'certificate_expired'],
    ['for another name', () => own.leaf('other.example.com'), 'certificate_wrong_host'],
  ])('when it is %s, of a known authority, while a canary answers by TLS', async (_, pair, cause) => {
    expect(await measured(pair(), [byTls])).toBe(`down ${cause} proven`)
    expect(await measured(pair(), [byTcp])).toBe(`down ${cause} unproven`)
    expect(await measured(pair(), [byTls, byTcp], [byTcp])).toBe(`down ${cause} unproven`)
    expect(await measured(pair(), [])).toBe(`down ${cause} unproven`)
  })

  test.each<[what: string, () => KeyPair, cause: string]>([
    ['expired, of an unknown authority', () => stranger.leaf(host, july), 'certificate_expired'],
    [
      'the same, with that authority sent along',
      () => {
        const leaf = stranger.leaf(host, july)
        return { ...leaf, cert: `${leaf.cert}${stranger.ca}` }
      },
      'certificate_expired',
    ],
    ['of an unknown authority', () => stranger.leaf(host), 'certificate_untrusted'],
    ['self-signed', () => own.selfSigned(host), 'certificate_self_signed'],
    ['not valid yet', () => own.leaf(host, later), 'certificate_not_yet_valid'],
  ])('but not when it is %s: a proxy on the way may forge it', async (_, pair, cause) => {
    const said = await measured(pair(), [byTls])
    expect(said).toMatch(
      new RegExp(`^down ${cause.replace('untrusted', '(untrusted|self_signed)')} unproven$`),
    )
  })
})

test('other failures are not marked', async () => {
  const { run, runAny } = start([byTls])
  expect(await run((await answering(unavailable)).url)).not.toHaveProperty('proven')
  const { url: _, assertions: __, ...common } = assignmentOf('http://127.0.0.1/')
  const settings = TcpSettings.parse({ host, port: 1 })
  expect(await runAny({ ...common, type: 'tcp', settings })).not.toHaveProperty('proven')
})
