import { describe, expect, test } from 'vitest'
import { allowNothing, parseAllowList, type AllowList } from '@probe-mesh/contracts/target/address'
import { tcpTargetProblem } from './settings.ts'

const parsed = parseAllowList(['127.0.0.0/8', '10.1.0.0/16'])
const opened: AllowList = parsed.ok ? parsed.allow : allowNothing

const rule = (host: string, port: number, send: string | null, allow = allowNothing) =>
  tcpTargetProblem({ host, port, send }, { allow })?.rule ?? null

describe('the target of a tcp check', () => {
  test.each<[string, number, string | null, string | null]>([
    ['example.com', 25, null, null],
    ['example.com', 25, 'QUIT', 'url_port'],
    ['example.com', 22, null, null],
    ['example.com', 22, 'x', 'url_port'],
    ['example.com', 6379, null, null],
    ['example.com', 6379, 'FLUSHALL\r\n', 'url_port'],
    ['example.com', 6380, 'PING\r\n', null],
    ['example.com', 80, 'GET / HTTP/1.0\r\n\r\n', null],
    ['example.com', 81, 'GET / HTTP/1.0\r\n\r\n', 'url_port'],
    ['example.com', 1023, 'x', 'url_port'],
    ['example.com', 1024, 'x', null],
    ['93.184.216.34', 65_535, 'x', null],
    ['2606:4700::1111', 22, null, null],
    ['10.0.0.1', 22, null, 'address'],
    ['127.1', 22, null, 'address'],
    ['::1', 22, null, 'address'],
    ['localhost', 22, null, 'host_localhost'],
    ['mail', 22, null, 'host_single_label'],
    ['db.internal', 22, null, 'host_internal'],
    ['example.com:22', 22, null, 'host_name'],
  ])('%s on port %i, sending %j: %s', (host, port, send, expected) => {
    expect(rule(host, port, send)).toBe(expected)
  })

  test.each<[string, number, string | null, string | null]>([
    ['127.0.0.1', 25, 'QUIT', null],
    ['localhost', 6379, 'PING', null],
    ['10.1.255.255', 6379, 'PING', null],
    ['10.2.0.0', 6379, null, 'address'],
    ['example.com', 6379, 'PING', 'url_port'],
  ])('with allowed addresses, %s on port %i, sending %j: %s', (...row) => {
    const [host, port, send, expected] = row
    expect(rule(host, port, send, opened)).toBe(expected)
  })

  test('a refusal contains the port and no address', () => {
    const settings = { host: '93.184.216.34', port: 25, send: 'x' }
    expect(tcpTargetProblem(settings, { allow: allowNothing })?.message).toBe(
      'a tcp check must not send text to port 25: use 80, 443, or a web port from 1024 up',
    )
  })
})
