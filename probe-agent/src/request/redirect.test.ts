import { describe, expect, onTestFinished, test } from 'vitest'
import { ask, resolverOf } from './testing/ask.ts'
import { startRawServer } from './testing/raw-server.ts'

/** A server whose path says where it leads: `/r/<status>?<location>`; any other path is the end. */
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
  const to = (location: string, status = 302): string =>
    `/r/${status}?${encodeURIComponent(location)}`
  return { ...server, base: `http://127.0.0.1:${server.port}`, to }
}

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('with status %d are followed by GET', async (status) => {
    const { base, to, requests } = await redirecting()
    const outcome = await ask(`${base}${to('/end', status)}`)
    expect(outcome).toMatchObject({ ok: true, status: 200, hops: 1 })
    expect(requests.map((head) => head.split('\r\n')[0])[1]).toBe('GET /end HTTP/1.1')
  })

  test('to three hops are followed, the fourth is too many', async () => {
    const { base, to, requests } = await redirecting()
    const chain = (hops: number): string => (hops === 0 ? '/end' : to(chain(hops - 1)))
    expect(await ask(base + chain(3))).toMatchObject({ ok: true, hops: 3 })
    const asked = requests.length
    expect(await ask(base + chain(4))).toMatchObject({
      ok: false,
      cause: 'too_many_redirects',
      fault: 'target',
    })
    expect(requests.length - asked).toBe(4)
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

  test('that are the answer asked for are not followed', async () => {
    const { base, to, requests } = await redirecting()
    const outcome = await ask(base + to('/end', 301), { isFinal: (status) => status === 301 })
    expect(outcome).toMatchObject({ ok: true, status: 301, hops: 0 })
    expect(requests).toHaveLength(1)
  })

  test.each([300, 304, 399])('status %d is no redirect', async (status) => {
    const { base, to } = await redirecting()
    expect(await ask(base + to('/end', status))).toMatchObject({ ok: true, status, hops: 0 })
  })

  test('without a location are the final answer', async () => {
    const { base, to } = await redirecting()
    expect(await ask(base + to('-'))).toMatchObject({ ok: true, status: 302 })
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
    'http://user:secret@127.0.0.1/',
    'http://8.8.8.8:25/',
  ])('to %s are refused unseen, in one text without an address', async (location) => {
    const { base, to } = await redirecting()
    const resolver = resolverOf({
      'rebound.example.com': ['10.0.0.1'],
      'mixed.example.com': ['93.184.216.34', '10.0.0.1'],
    })
    expect(await ask(base + to(location), {}, { resolver })).toMatchObject({
      ok: false,
      cause: 'unsafe_target',
      fault: 'probe',
      reason: 'the target address is not allowed',
      address: null,
      timings: { connectMs: null },
    })
  })

  test('of a relative kind stay on their server', async () => {
    const { base, to, requests } = await redirecting()
    await ask(base + to('../x?y#z'))
    expect(requests[1]).toMatch(/^GET \/x\?y HTTP/)
  })
})
