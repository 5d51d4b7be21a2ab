import { describe, expect, onTestFinished, test } from 'vitest'
import { loginDropped } from './notes.ts'
import { ask, resolverOf } from './testing/ask.ts'
import { startRawServer } from './testing/raw-server.ts'

/** A server whose paths redirect: `/r/<status>?<location>`; any other path is the end. */
const redirecting = async () => {
  const server = await startRawServer((socket, head) => {
    const [, status, location] = /^GET \/r\/(\d+)\?(\S*) /.exec(head) ?? []
    if (status === undefined || location === undefined) {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend')
    } else {
      const line = location === '-' ? '' : `Location: ${decodeURIComponent(location)}\r\n`
      socket.end(`HTTP/1.1 ${status} Moved\r\n${line}Content-Length: 0\r\n\r\n`)
    }
  })
  onTestFinished(server.close)
  const to = (location: string, status = 302): string => `/r/${status}?${encodeURIComponent(location)}`
  return { ...server, base: `http://127.0.0.1:${server.port}`, to }
}

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('with status %d are followed by GET', async (status) => {
    const { base, to, requests } = await redirecting()
    const outcome = await ask(`${base}${to('/end', status)}`)
    expect(outcome).toMatchObject({ ok: true, status: 200, hops: 1 })
    expect(requests.map((head) => head.split('\r\n')[0])[1]).toBe('GET /end HTTP/1.1')
  })

  test('are followed for twenty hops, as in browsers, and one more is too many', async () => {
    const counting = await startRawServer((socket, head) => {
      const left = Number(/^GET \/(\d+)/.exec(head)?.[1])
      if (left === 0) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend')
      else socket.end(`HTTP/1.1 302 Found\r\nLocation: /${left - 1}\r\nContent-Length: 0\r\n\r\n`)
    })
    onTestFinished(counting.close)
    const base = `http://127.0.0.1:${counting.port}`
    expect(await ask(`${base}/20`)).toMatchObject({ ok: true, hops: 20 })
    const asked = counting.requests.length
    expect(await ask(`${base}/21`)).toMatchObject({
      ok: false,
      cause: 'too_many_redirects',
      fault: 'target',
    })
    expect(counting.requests.length - asked).toBe(21)
  })

  test('carry the cookies that they set, and a single request carries none', async () => {
    const server = await startRawServer((socket, head) => {
      if (/^cookie: seen=yes; too=1\r$/m.test(head)) {
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend')
        return
      }
      const set =
        'Set-Cookie: seen=yes; Path=/\r\nSet-Cookie: too=1\r\nSet-Cookie: not=here; Domain=other.example.com'
      socket.end(`HTTP/1.1 302 Found\r\n${set}\r\nLocation: /\r\nContent-Length: 0\r\n\r\n`)
    })
    onTestFinished(server.close)
    const url = `http://127.0.0.1:${server.port}/`
    expect(await ask(url)).toMatchObject({ ok: true, status: 200, hops: 1 })
    expect(await ask(url)).toMatchObject({ ok: true, hops: 1 })
    expect(server.requests[0]).not.toContain('cookie')
    expect(server.requests[2]).not.toContain('cookie')
  })

  test('count in the limit of their address, each of them', async () => {
    const { base, to } = await redirecting()
    const spent: string[] = []
    const spend = (address: string): boolean => {
      spent.push(address)
      return false
    }
    const name = resolverOf({ 'far.example.com': ['93.184.216.34'] })
    const outcome = await ask(base + to('http://far.example.com/'), {}, { spend, resolver: name })
    expect(outcome).toMatchObject({ cause: 'target_budget', fault: 'probe' })
    expect(spent).toEqual(['93.184.216.34'])
  })

  test('that contain a user are followed without it, with a note', async () => {
    const { base, to, requests } = await redirecting()
    const outcome = await ask(base + to(base.replace('//', '//user:secret@') + '/end'))
    expect(outcome).toMatchObject({ ok: true, notes: [loginDropped] })
    expect(requests[1]).not.toMatch(/authorization|secret/i)
  })

  test('with UTF-8 bytes are followed as UTF-8', async () => {
    const server = await startRawServer((socket, head) => {
      if (head.startsWith('GET /%C3%BC ')) socket.end('HTTP/1.1 200 OK\r\n\r\n')
      else socket.end(Buffer.from('HTTP/1.1 302 Found\r\nLocation: /ü\r\n\r\n'))
    })
    onTestFinished(server.close)
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toMatchObject({ ok: true, hops: 1 })
  })

  test('to a URL beyond the limit of a check are followed', async () => {
    const { base, requests } = await redirecting()
    const long = await startRawServer((socket) =>
      socket.end(`HTTP/1.1 302 Found\r\nLocation: ${base}/${'a'.repeat(4_000)}\r\n\r\n`),
    )
    onTestFinished(long.close)
    expect(await ask(`http://127.0.0.1:${long.port}/`)).toMatchObject({ ok: true, hops: 1 })
    expect(requests).toHaveLength(1)
  })

  test('in a loop end', async () => {
    const server = await startRawServer((socket) =>
      socket.end('HTTP/1.1 302 Found\r\nLocation: /loop\r\n\r\n'),
    )
    onTestFinished(server.close)
    expect(await ask(`http://127.0.0.1:${server.port}/loop`)).toMatchObject({
      cause: 'too_many_redirects',
    })
  })

  test('with the expected status are not followed', async () => {
    const { base, to, requests } = await redirecting()
    const outcome = await ask(base + to('/end', 301), { isFinal: (status) => status === 301 })
    expect(outcome).toMatchObject({ ok: true, status: 301, hops: 0 })
    expect(requests).toHaveLength(1)
  })

  test.each([300, 304, 399])('status %d is not a redirect', async (status) => {
    const { base, to } = await redirecting()
    expect(await ask(base + to('/end', status))).toMatchObject({ ok: true, status, hops: 0 })
  })

  test.each(['-', ' '])('without a location (%j) are the final answer', async (location) => {
    const { base, to } = await redirecting()
    expect(await ask(base + to(location))).toMatchObject({ ok: true, status: 302 })
  })

  test.each([
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'javascript:alert(1)',
    'http://[',
    'http://127.0.0.1:99999/',
  ])('to %s cannot be followed', async (location) => {
    const { base, to } = await redirecting()
    expect(await ask(base + to(location))).toMatchObject({ cause: 'bad_redirect', fault: 'target' })
  })

  test.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://0x0a000001/',
    '//192.168.0.1/',
    'http://rebound.example.com/',
    'http://mixed.example.com/',
    'http://printer.local/',
    'http://user:secret@10.0.0.1/',
    'http://localhost.localdomain/',
    'http://intranet/',
    'http://nowhere.example.com/',
    'http://empty.example.com/',
  ])(
    'to %s are the target’s fault, without a connection, in one text without an address',
    async (location) => {
      const { base, to } = await redirecting()
      const resolver = resolverOf({
        'rebound.example.com': ['10.0.0.1'],
        'mixed.example.com': ['93.184.216.34', '10.0.0.1'],
        'empty.example.com': [],
      })
      expect(await ask(base + to(location), {}, { resolver })).toMatchObject({
        ok: false,
        cause: 'redirect_not_public',
        fault: 'target',
        reason: 'a redirect leads to a host without a public address',
        address: null,
        timings: { connectMs: null },
      })
    },
  )

  test('to a port that the probe does not use are not judged', async () => {
    const { base, to } = await redirecting()
    expect(await ask(base + to('http://8.8.8.8:81/'))).toMatchObject({
      cause: 'unsafe_target',
      fault: 'probe',
    })
  })

  test('with a relative URL stay on their server', async () => {
    const { base, to, requests } = await redirecting()
    await ask(base + to('../x?y#z'))
    expect(requests[1]).toMatch(/^GET \/x\?y HTTP/)
  })
})
