import { parseAllowList } from '@probe-mesh/contracts/address'
import type { ChannelConfig } from '@probe-mesh/contracts/channel'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelOwner } from '../channels/credential.ts'
import { createVault } from '../secrets/vault.ts'
import { createChannelSender } from './channel-sender.ts'
import type { Resolver } from './resolve.ts'
import { ok, startReceiver } from './testing.ts'

const vault = createVault('the secrets key of the tests, 32 characters')
const loopback = parseAllowList(['127.0.0.0/8'])
if (!loopback.ok) throw new Error('the allow list of the tests is wrong')

const nobody: Resolver = {
  resolve4: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
  resolve6: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
}
const resolving = (ipv4: string[], ipv6: string[] = []): Resolver => ({
  resolve4: async () => ipv4,
  resolve6: async () => ipv6,
})

const send = (
  url: string,
  { resolver = nobody, signal = AbortSignal.timeout(20_000), secretsKey = '' } = {},
) => {
  const owner = { accountId: 'a', id: 'c' }
  const channel: ChannelConfig = { type: 'json', config: { url } }
  const sealing = secretsKey === '' ? vault : createVault(secretsKey)
  const credential = sealing.seal(JSON.stringify(channel.config), channelOwner(owner))
  const sender = createChannelSender({ allow: loopback.allow, resolver, vault, now: Date.now })
  const message = {
    event: 'test' as const,
    title: 't',
    text: 't',
    facts: [],
    url: 'https://example.org/',
    at: new Date().toISOString(),
    alertKey: 'k',
  }
  return sender.send({ ...owner, type: 'json', credential }, { id: 'delivery-1', message }, signal)
}

const receiver = async (answer: Parameters<typeof startReceiver>[0]) => {
  const started = await startReceiver(answer)
  onTestFinished(started.close)
  return started
}

describe('addresses', () => {
  test('a name is resolved at the send, and the address that was judged is connected to', async () => {
    const { port, received } = await receiver(ok)
    const resolver = resolving(['127.0.0.1'])
    expect(await send(`http://hooks.example.com:${port}/x?y=1`, { resolver })).toMatchObject({
      ok: true,
      httpStatus: 204,
    })
    expect(received).toMatchObject([
      { id: 'delivery-1', path: '/x?y=1', headers: { host: `hooks.example.com:${port}` } },
    ])
  })

  test.each([
    ['private', ['10.0.0.1'], []],
    ['the cloud metadata service', ['169.254.169.254'], []],
    ['allowed and private', ['127.0.0.1', '192.168.0.1'], []],
    ['allowed and local in IPv6', ['127.0.0.1'], ['::1']],
  ])('a name that leads to what is %s is never connected to', async (_, ipv4, ipv6) => {
    const { port, received } = await receiver(ok)
    const resolver = resolving(ipv4, ipv6)
    expect(await send(`http://hooks.example.com:${port}/`, { resolver })).toMatchObject({
      ok: false,
      next: 'give_up',
      kind: 'unsafe',
      detail: 'the target address is not allowed',
    })
    expect(received).toEqual([])
  })

  test.each([
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://db.internal/',
    'http://127.0.0.1:6379/x',
  ])('%s, saved when it was allowed, is refused at the send', async (url) => {
    const sent = await send(url)
    expect(sent.ok ? null : [sent.kind, sent.next]).toEqual(
      url.includes('6379') ? ['network', 'retry'] : ['unsafe', 'give_up'],
    )
  })

  test('a redirect is not followed, and said', async () => {
    const { url, port, received } = await receiver((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${port}/elsewhere` }).end()
    })
    expect(await send(url)).toMatchObject({ ok: false, httpStatus: 307, next: 'give_up' })
    expect(received).toHaveLength(1)
  })
})

describe('failures', () => {
  test('a name that does not exist, and a port where nobody listens, wait for another time', async () => {
    expect(await send('http://hooks.example.com/')).toMatchObject({
      kind: 'network',
      next: 'retry',
      detail: 'the host name does not exist',
    })
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({
      next: 'retry',
      detail: 'the connection was refused',
    })
  })

  test('a receiver that hangs is left when the time is over', async () => {
    const { url } = await receiver(() => {})
    expect(await send(url, { signal: AbortSignal.timeout(100) })).toMatchObject({
      kind: 'timeout',
      next: 'retry',
    })
  })

  test('a receiver that says yes and then hangs has said yes', async () => {
    const { url } = await receiver((_request, response) => {
      response.writeHead(200).write('thank')
    })
    // long enough for the yes on a busy machine: only what hangs after it is cut off
    const sent = await send(url, { signal: AbortSignal.timeout(5_000) })
    expect(sent.ok || sent.kind === 'timeout').toBe(true)
    expect(sent).toMatchObject({ ok: true, detail: expect.any(String) })
  })

  test('a stop of ours is no failure of the receiver', async () => {
    const stopping = new AbortController()
    const { url } = await receiver(() => stopping.abort(new Error('stopping')))
    await expect(send(url, { signal: stopping.signal })).rejects.toThrow('stopping')
  })

  test('a credential that does not open is said, and kept for when the key is back', async () => {
    const sent = await send('https://example.org/', {
      secretsKey: 'another key, 32 characters long',
    })
    expect(sent).toMatchObject({ ok: false, kind: 'unreadable', next: 'retry' })
  })

  test('of an endless answer little is read', async () => {
    const { url } = await receiver((_request, response) => {
      response.writeHead(500)
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
        if (!response.destroyed) response.once('drain', pour)
      }
      pour()
    })
    expect(await send(url)).toMatchObject({ httpStatus: 500, detail: 'x'.repeat(200) })
  })
})
