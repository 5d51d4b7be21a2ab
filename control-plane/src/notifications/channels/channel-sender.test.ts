import { parseAccountAllow } from '@probe-mesh/contracts/src/target/account-allow'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing, parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelOwner } from './sealed-config.ts'
import { createVault } from '../../secrets/vault.ts'
import { createChannelSender } from './channel-sender.ts'
import type { Resolver } from '../outgoing/resolve.ts'
import { ok, startReceiver } from '../outgoing/testing.ts'

const vault = createVault('the secrets key of the tests, 32 characters')
const accountId = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const other = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f71'
const allowing = (...entries: string[]): AllowList => {
  const parsed = parseAccountAllow(entries)
  if (!parsed.ok) throw new Error(parsed.problems.join())
  return parsed.allow
}
const loopback = { allow: allowing('127.0.0.0/8') }

type Rules = Parameters<typeof createChannelSender>[0]['rules']
const opening: Rules = {
  targetAllow: loopback.allow,
  channelAllow: null,
  blockedTargets: denyNothing,
}

const nobody: Resolver = {
  resolve4: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
  resolve6: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
}
const resolving = (ipv4: string[], ipv6: string[] = []): Resolver => ({
  resolve4: async () => ipv4,
  resolve6: async () => ipv6,
})
/** @param records by name and type; other names do not exist */
const resolvingNames = (records: Readonly<Record<string, string[]>>): Required<Resolver> => {
  const find = (type: string) => async (name: string) => {
    const values = records[`${name} ${type}`]
    if (values === undefined) throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
    return values
  }
  return {
    resolve4: find('A'),
    resolve6: find('AAAA'),
    resolveNs: find('NS'),
    resolveCname: find('CNAME'),
  }
}

const send = (
  url: string,
  {
    resolver = nobody,
    signal = AbortSignal.timeout(20_000),
    secretsKey = '',
    isOperators = true,
    rules = {} as Partial<Rules>,
  } = {},
) => {
  const owner = { accountId, id: 'c' }
  const channel: ChannelConfig = { type: 'json', config: { url } }
  const sealing = secretsKey === '' ? vault : createVault(secretsKey)
  const credential = sealing.seal(JSON.stringify(channel.config), channelOwner(owner))
  const sender = createChannelSender({
    rules: { ...opening, ...rules },
    resolver,
    vault,
    now: Date.now,
  })
  const message = {
    event: 'test' as const,
    title: 't',
    text: 't',
    facts: [],
    url: 'https://example.org/',
    at: new Date().toISOString(),
    alertKey: 'k',
  }
  return sender.send(
    { ...owner, isOperators, type: 'json', credential },
    { id: 'delivery-1', message },
    signal,
  )
}

const receiver = async (answer: Parameters<typeof startReceiver>[0]) => {
  const started = await startReceiver(answer)
  onTestFinished(started.close)
  return started
}

describe('addresses', () => {
  test('resolves a name at the send and connects to the checked address', async () => {
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
      next: 'fail',
      kind: 'unsafe',
      detail: 'the target address is not allowed',
    })
    expect(received).toEqual([])
  })

  const inside = resolvingNames({
    'db1.corp.example.com A': ['10.0.0.7'],
    'corp.example.com NS': ['ns.corp.example.com'],
    'ns.corp.example.com A': ['10.0.0.53'],
    'hooks.example.org CNAME': ['db9.corp.example.com.'],
    'meta.example.org CNAME': ['db9.internal'],
    'loop.example.org CNAME': ['loop.example.org'],
    'gone.example.org CNAME': ['gone.example.net'],
    ...Object.fromEntries(['com', 'org', 'net'].map((top) => [`example.${top} NS`, ['ns.net']])),
    'ns.net A': ['93.184.216.53'],
  })
  test.each([
    ['that there is', 'db1.corp.example.com'],
    ['that there is not', 'db9.corp.example.com'],
    ['that there is not, by an alias', 'hooks.example.org'],
    ['of a reserved suffix, by an alias', 'meta.example.org'],
    ['behind aliases without end', 'loop.example.org'],
  ])('a name of a zone that only our network knows is refused: one %s', async (_, host) => {
    expect(await send(`http://${host}/`, { resolver: inside })).toMatchObject({
      ok: false,
      next: 'fail',
      kind: 'unsafe',
      detail: 'the target address is not allowed',
    })
  })
  test.each(['db9.example.com', 'gone.example.org'])(
    'reports a missing name of a public zone: %s',
    async (host) => {
      const detail = 'the host name does not exist'
      const sent = await send(`http://${host}/`, { resolver: inside })
      expect(sent).toMatchObject({ kind: 'network', next: 'retry', detail })
    },
  )

  test.each(['http://10.0.0.1/', 'http://[::1]/', 'http://db.internal/', 'http://127.0.0.1:6379/x'])(
    '%s, saved when it was allowed, is refused at the send',
    async (url) => {
      const sent = await send(url)
      expect(sent.ok ? null : [sent.kind, sent.next]).toEqual(
        url.includes('6379') ? ['network', 'retry'] : ['unsafe', 'fail'],
      )
    },
  )

  test('does not follow a redirect and reports it', async () => {
    const { url, port, received } = await receiver((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${port}/elsewhere` }).end()
    })
    expect(await send(url)).toMatchObject({ ok: false, httpStatus: 307, next: 'fail' })
    expect(received).toHaveLength(1)
  })
})

describe('the deny list', () => {
  const denying = (...entries: string[]) => {
    const parsed = parseDenyList(entries)
    if (!parsed.ok) throw new Error(parsed.problems.join())
    return { blockedTargets: parsed.deny }
  }

  test.each([
    ['an address', '127.0.0.3', 'http://127.0.0.3', []],
    ['a range', '127.0.0.0/29', 'http://127.0.0.3', []],
    ['a name', 'example.com', 'http://hooks.example.com', ['127.0.0.1']],
    ['a name by its address', '127.0.0.3', 'http://hooks.example.com', ['127.0.0.3']],
    ['one of its addresses', '127.0.0.3', 'http://hooks.example.com', ['127.0.0.1', '127.0.0.3']],
  ])('holds for %s: nothing is sent there', async (_, entry, origin, addresses) => {
    const { port, received } = await receiver(ok)
    const rules = denying(entry)
    const resolver = addresses.length === 0 ? nobody : resolving(addresses)
    expect(await send(`${origin}:${port}/hook`, { rules, resolver })).toMatchObject({
      ok: false,
      next: 'fail',
      kind: 'unsafe',
      detail: 'the owner of the target asked not to be probed',
    })
    expect(received).toEqual([])
  })

  test('gives the same answer for an unsafe address whether or not it is denied', async () => {
    const resolver = resolving(['10.0.0.1'])
    const url = 'http://hooks.example.com/'
    const denied = await send(url, { rules: denying('10.0.0.0/8'), resolver })
    expect(denied).toEqual(await send(url, { resolver }))
  })
})

describe('an address that is not public', () => {
  const tell = (_request: unknown, response: ServerResponse): void => {
    response.writeHead(200).end('internal-secret-body')
  }
  const opened = { channelAllow: loopback.allow }

  test.each([
    ['not set', 'the operator', null, true, true],
    ['not set', 'a sign-up', null, false, false],
    ['set', 'the operator', loopback.allow, true, true],
    ['set', 'a sign-up', loopback.allow, false, true],
    ['set to another range', 'the operator', allowing('10.0.0.0/8'), true, false],
    ['set to another range', 'a sign-up', allowing('10.0.0.0/8'), false, false],
    ['set for this account', 'a sign-up', allowing(`127.0.0.0/8@${accountId}`), false, true],
    ['set for another account', 'a sign-up', allowing(`127.0.0.0/8@${other}`), false, false],
  ])('with CHANNEL_ALLOW %s and a channel of %s', async (_set, _who, channelAllow, isOperators, open) => {
    const { url, received } = await receiver(ok)
    const sent = await send(url, { rules: { channelAllow }, isOperators })
    expect(sent.ok).toBe(open)
    expect(received).toHaveLength(open ? 1 : 0)
  })

  test("shows its answer to the operator's account only", async () => {
    const { url } = await receiver(tell)
    const detail = async (isOperators: boolean) => (await send(url, { rules: opened, isOperators })).detail
    expect(await detail(true)).toBe('internal-secret-body')
    expect(await detail(false)).toBe('the answer is not shown: the address is not public')
  })
})

describe('failures', () => {
  test('retries a missing name and a closed port', async () => {
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

  test('abandons a hanging receiver at the timeout', async () => {
    const { url } = await receiver(() => {})
    expect(await send(url, { signal: AbortSignal.timeout(100) })).toMatchObject({
      kind: 'timeout',
      next: 'retry',
    })
  })

  test('counts a success status as delivered when the receiver then hangs', async () => {
    const limit = new AbortController()
    const passLimit = (): void =>
      void setImmediate(() => limit.abort(new DOMException('too long', 'TimeoutError')))
    // at the limit the sender has the status, and waits for the rest of the body
    subscribe('http.client.response.finish', passLimit)
    onTestFinished(() => void unsubscribe('http.client.response.finish', passLimit))
    const { url } = await receiver((_request, response) => {
      response.writeHead(200).write('thank')
    })
    const sent = await send(url, { signal: limit.signal })
    expect(sent).toMatchObject({ ok: true, detail: expect.any(String) })
  })

  test('does not count its own stop as a failure of the receiver', async () => {
    const stopping = new AbortController()
    const { url } = await receiver(() => stopping.abort(new Error('stopping')))
    await expect(send(url, { signal: stopping.signal })).rejects.toThrow('stopping')
  })

  test('reports an unreadable credential and retries until the key is back', async () => {
    const sent = await send('https://example.org/', {
      secretsKey: 'another key, 32 characters long',
    })
    expect(sent).toMatchObject({ ok: false, kind: 'unreadable', next: 'retry' })
  })

  test('reads only the start of an endless answer', async () => {
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
