import { parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import { isPinned } from '@probe-mesh/contracts/target/pin'
import { parsePrivateTargets } from '@probe-mesh/contracts/target/private-targets'
import { describe, expect, onTestFinished, test } from 'vitest'
import { allowing, ask, resolverOf } from './testing/ask.ts'
import type { Resolver } from './resolve.ts'
import { startRawServer } from './testing/raw-server.ts'

const unsafe = {
  ok: false,
  cause: 'unsafe_target',
  fault: 'probe',
  reason: 'the target address is not allowed',
  address: null,
  timings: { connectMs: null },
}
const asking = (addresses: string[] | string, allow = allowing('127.0.0.0/8')) =>
  ask('http://site.example.com:8080/', {}, { allow, resolver: resolverOf({ 'site.example.com': addresses }) })
const local = async () => {
  const server = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  onTestFinished(server.close)
  return server
}

describe('addresses of a name', () => {
  test.each<[string, string[]]>([
    ['private', ['10.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['loopback in IPv6', ['::1']],
    ['mapped', ['::ffff:127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['public and private', ['93.184.216.34', '10.0.0.1']],
    ['private last of many', [...Array.from({ length: 31 }, (_, n) => `93.184.216.${n}`), '10.0.0.1']],
    ['public IPv4 and local IPv6', ['93.184.216.34', 'fd00::1']],
    ['allowed and private', ['127.0.0.1', '10.0.0.1']],
    ['more than can be looked through', Array.from({ length: 33 }, (_, n) => `93.184.216.${n}`)],
  ])('that are %s are refused, and nothing is connected to', async (_, addresses) => {
    expect(await asking(addresses)).toMatchObject(unsafe)
  })

  const withZones = (names: Record<string, string[] | string>, zones: Record<string, string[]>) => ({
    ...resolverOf(names),
    resolveNs: async (zone: string) => {
      const servers = zones[zone]
      if (servers === undefined) throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
      return servers
    },
    resolveCname: async (name: string) => {
      if (name !== 'alias.example.com') {
        throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
      }
      return ['db9.corp.example.com']
    },
  })
  const zones = { 'corp.example.com': ['ns.corp.example.com'], 'example.com': ['ns.example.net'] }
  const names = { 'ns.corp.example.com': ['10.0.0.53'], 'ns.example.net': ['93.184.216.53'] }

  test.each([
    ['of a zone that only the inside knows are refused like those there are', 'db9.corp', unsafe],
    ['and are aliases of such are refused too', 'alias', unsafe],
    ['of a public zone do not exist', 'db9', { ok: false, cause: 'dns_not_found' }],
  ])('that do not exist: %s', async (_, label, expected) => {
    const url = `http://${label}.example.com:8080/`
    const resolver = withZones(names, zones)
    const around = { allow: allowing('127.0.0.0/8'), resolver }
    expect(await ask(url, {}, around)).toMatchObject(expected)
  })

  test("that do not exist in the account's own network are reported as such", async () => {
    const url = 'http://db9.corp.example.com:8080/'
    const resolver = withZones(names, zones)
    const around = { allow: allowing('127.0.0.0/8'), resolver, isOwnNetwork: true }
    expect(await ask(url, {}, around)).toMatchObject({ cause: 'dns_not_found' })
  })

  test('that become internal between two runs are refused on the second', async () => {
    const server = await local()
    const answers = ['127.0.0.1', '10.0.0.1']
    const rebinding: Resolver = {
      resolve4: async () => [answers.shift() ?? ''],
      resolve6: async () => [],
    }
    const url = `http://site.example.com:${server.port}/`
    expect(await ask(url, {}, { resolver: rebinding })).toMatchObject({ ok: true })
    expect(await ask(url, {}, { resolver: rebinding })).toMatchObject(unsafe)
  })

  test('are looked up once, and the checked one is connected to', async () => {
    const server = await local()
    let lookups = 0
    const counting: Resolver = {
      resolve4: async () => {
        lookups += 1
        return ['127.0.0.1']
      },
      resolve6: async () => [],
    }
    const outcome = await ask(`http://site.example.com:${server.port}/`, {}, { resolver: counting })
    expect(outcome).toMatchObject({ ok: true, address: '127.0.0.1' })
    expect(lookups).toBe(1)
    expect(server.requests[0]).toContain(`host: site.example.com:${server.port}\r\n`)
  })

  test('over their limit are not connected to, and not judged', async () => {
    const budget = { ok: false, cause: 'target_budget', fault: 'probe', address: null }
    const spent: string[] = []
    const spend = (address: string): boolean => {
      spent.push(address)
      return false
    }
    expect(await ask('http://93.184.216.34/', {}, { spend })).toMatchObject(budget)
    const resolver = resolverOf({ 'site.example.com': ['93.184.216.35'] })
    expect(await ask('http://site.example.com/', {}, { spend, resolver })).toMatchObject(budget)
    expect(spent).toEqual(['93.184.216.34', '93.184.216.35'])
  })

  test('that an operator allowed have no limit', async () => {
    const server = await local()
    const outcome = await ask(`http://127.0.0.1:${server.port}/`, {}, { spend: () => false })
    expect(outcome).toMatchObject({ ok: true })
  })

  test('that opted out are not connected to, by name or by address', async () => {
    const denied = { ok: false, cause: 'target_denied', fault: 'probe', address: null }
    const parsed = parseDenyList(['left-alone.example.com', '93.184.216.0/24'])
    if (!parsed.ok) throw new Error(parsed.problems.join())
    const resolver = resolverOf({ 'other.example.com': ['93.185.0.1', '93.184.216.34'] })
    const own = { deny: parsed.deny, resolver }
    expect(await ask('http://a.left-alone.example.com/', {}, own)).toMatchObject(denied)
    expect(await ask('http://93.184.216.34/', {}, own)).toMatchObject(denied)
    expect(await ask('http://other.example.com/', {}, own)).toMatchObject(denied)
  })

  test('of this machine are refused unless they are allowed', async () => {
    const own = { ownAddresses: () => new Set(['93.184.216.34', '127.0.0.1']) }
    expect(await ask('http://93.184.216.34/', {}, own)).toMatchObject(unsafe)
    const server = await local()
    expect(await ask(`http://127.0.0.1:${server.port}/`, {}, own)).toMatchObject({ ok: true })
  })
})

describe('an agent without an IPv4 route', () => {
  const answers = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
  // A multicast group accepts no TCP connection: the kernel reports "no route" without sending anything.
  const unroutable = '224.0.0.1'
  const allow = allowing(unroutable, '::1')

  test('reaches a name by its IPv6 address', async () => {
    const server = await startRawServer((socket) => socket.end(answers), '::1')
    onTestFinished(server.close)
    const resolver = resolverOf({ 'site.example.com': [unroutable, '::1'] })
    const outcome = await ask(`http://site.example.com:${server.port}/`, {}, { allow, resolver })
    expect(outcome).toMatchObject({ ok: true, address: '::1' })
  })

  test('does not blame the target without another address', async () => {
    const resolver = resolverOf({ 'site.example.com': [unroutable] })
    const outcome = await ask('http://site.example.com:8080/', {}, { allow, resolver })
    expect(outcome).toMatchObject({ ok: false, cause: 'no_route', fault: 'probe' })
  })
})

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

describe('a target with several addresses', () => {
  // another test may have the same port on 127.0.0.1
  const nobody = '127.31.7.9'
  const names = resolverOf({
    'site.example.com': [nobody, '::1'],
    'twice.example.com': [nobody, '127.31.7.10'],
    'down.example.com': [nobody, '127.31.7.11', '::1'],
  })
  const open = { allow: allowing('::1', '127.31.7.0/24'), resolver: names }
  const on = async (host: string) => {
    const server = await startRawServer((socket) => socket.end(ok), host)
    onTestFinished(server.close)
    return server.port
  }

  test('is reached by IPv6 when IPv4 refuses, with a note', async () => {
    const outcome = await ask(`http://site.example.com:${await on('::1')}/`, {}, open)
    expect(outcome).toMatchObject({
      ok: true,
      address: '::1',
      notes: ['IPv4 failed (the connection was refused), IPv6 works'],
    })
  })

  test('is reached by its second address of a family when the first refuses', async () => {
    const outcome = await ask(`http://twice.example.com:${await on('127.31.7.10')}/`, {}, open)
    expect(outcome).toMatchObject({
      ok: true,
      address: '127.31.7.10',
      notes: ['one IPv4 address failed (the connection was refused), another works'],
    })
  })

  test('is down when all refuse, with the reason of the first', async () => {
    const server = await startRawServer(() => undefined, '::1')
    await server.close()
    const outcome = await ask(`http://down.example.com:${server.port}/`, {}, open)
    expect(outcome).toMatchObject({
      ok: false,
      cause: 'connection_refused',
      address: nobody,
      notes: [],
    })
  })

  test('is not judged when the next address is over its limit', async () => {
    const resolver = resolverOf({ 'site.example.com': [nobody, '2606:4700::1111'] })
    const allow = allowing(nobody)
    const port = (await local()).port
    const asked = { allow, resolver, spend: () => false }
    const outcome = await ask(`http://site.example.com:${port}/`, {}, asked)
    expect(outcome).toMatchObject({ cause: 'target_budget', fault: 'probe' })
  })

  test('has only one connection when the first address connects', async () => {
    const server = await startRawServer((socket) => socket.end(ok), '127.31.7.9')
    onTestFinished(server.close)
    const outcome = await ask(`http://site.example.com:${server.port}/`, {}, open)
    expect(outcome).toMatchObject({ ok: true, address: nobody, notes: [] })
  })
})

describe('failures of names', () => {
  test.each([
    ['ENOTFOUND', 'dns_not_found', 'target'],
    ['ENODATA', 'dns_no_address', 'target'],
    ['ESERVFAIL', 'dns_server_failure', 'probe'],
    ['EREFUSED', 'dns_server_failure', 'probe'],
    ['ETIMEOUT', 'dns_unreachable', 'probe'],
    ['ECONNREFUSED', 'dns_unreachable', 'probe'],
    ['EWHATEVER', 'dns_failed', 'probe'],
  ])('%s is %s, the fault of the %s', async (code, cause, fault) => {
    expect(await asking(code)).toMatchObject({
      ok: false,
      cause,
      fault,
      address: null,
      timings: { dnsMs: null },
    })
  })

  test('a resolver that hangs is the probe’s fault', async () => {
    const never = (): Promise<string[]> => new Promise(() => undefined)
    const outcome = await ask(
      'http://site.example.com/',
      { deadlineMs: 100 },
      { resolver: { resolve4: never, resolve6: never } },
    )
    expect(outcome).toMatchObject({ cause: 'dns_unreachable', fault: 'probe' })
  })

  const failing = (code: string) => async (): Promise<string[]> => {
    throw Object.assign(new Error(code), { code })
  }
  test.each([
    ['ENODATA', 'ESERVFAIL', 'dns_server_failure'],
    ['ETIMEOUT', 'ENODATA', 'dns_unreachable'],
    ['ENOTFOUND', 'ETIMEOUT', 'dns_not_found'],
    ['ETIMEOUT', 'ENOTFOUND', 'dns_not_found'],
    ['ENODATA', 'ENODATA', 'dns_no_address'],
  ])('IPv4 %s and IPv6 %s is %s', async (ipv4, ipv6, cause) => {
    const resolver = { resolve4: failing(ipv4), resolve6: failing(ipv6) }
    expect(await ask('http://site.example.com/', {}, { resolver })).toMatchObject({ cause })
  })

  test('IPv6 that fails or never answers does not harm IPv4', async () => {
    const server = await local()
    const never = (): Promise<string[]> => new Promise(() => undefined)
    for (const resolve6 of [failing('ESERVFAIL'), never]) {
      const resolver = { resolve4: async () => ['127.0.0.1'], resolve6 }
      const outcome = await ask(`http://site.example.com:${server.port}/`, {}, { resolver })
      expect(outcome).toMatchObject({ ok: true })
    }
  })
})

describe('localhost', () => {
  test('leads to loopback without a lookup, if loopback is allowed', async () => {
    const server = await local()
    expect(await ask(`http://localhost:${server.port}/`)).toMatchObject({
      ok: true,
      address: '127.0.0.1',
      timings: { dnsMs: expect.any(Number) },
    })
    expect(server.requests[0]).toContain(`host: localhost:${server.port}\r\n`)
  })

  test('is refused elsewhere', async () => {
    const allow = allowing('10.0.0.0/8')
    expect(await ask('http://localhost/', {}, { allow })).toMatchObject(unsafe)
  })
})

describe('the pin', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['2001:db8::1', '2001:0db8:0::0001', true],
    ['2001:db8::1', '2001:db8::2', false],
    ['::ffff:127.0.0.1', '127.0.0.1', false],
  ])('%s against %s: %s', (remote, pin, same) => expect(isPinned(remote, pin)).toBe(same))
})

describe('a target allowed by the owner of a private agent', () => {
  const opened = (...entries: string[]) => {
    const parsed = parsePrivateTargets(entries)
    if (!parsed.ok) throw new Error(parsed.problems.join('; '))
    return parsed.allow
  }
  const names = resolverOf({ 'db.internal': ['127.0.0.1'], 'meta.internal': ['169.254.169.254'] })
  const through = (url: string, ...entries: string[]) =>
    ask(url, {}, { allow: opened(...entries), resolver: names })

  test('is reached by its listed name, if its address is listed too', async () => {
    const server = await local()
    const url = `http://db.internal:${server.port}/`
    expect(await through(url, 'db.internal', '127.0.0.1')).toMatchObject({
      ok: true,
      address: '127.0.0.1',
    })
    expect(await through(url, 'db.internal', '10.0.0.0/8')).toMatchObject(unsafe)
    expect(await through(url, '127.0.0.1')).toMatchObject(unsafe)
  })

  test('does not open metadata addresses, whatever a name resolves to', async () => {
    expect(await through('http://meta.internal/', 'meta.internal', '10.0.0.0/8')).toMatchObject(unsafe)
  })

  test('is not extended by a redirect', async () => {
    const server = await startRawServer((socket) =>
      socket.end(
        'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/\r\nContent-Length: 0\r\n\r\n',
      ),
    )
    onTestFinished(server.close)
    const outcome = await through(`http://127.0.0.1:${server.port}/`, '127.0.0.1', '10.0.0.0/8')
    expect(outcome).toMatchObject({ ok: false, cause: 'redirect_not_public', address: null })
  })
})
