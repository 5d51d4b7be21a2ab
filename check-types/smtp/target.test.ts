import { describe, expect, test } from 'vitest'
import { allowNothing, parseAllowList, type AllowList } from '@probe-mesh/contracts/target/address'
import { smtpTargetProblem } from './settings.ts'

const parsed = parseAllowList(['127.0.0.0/8'])
const opened: AllowList = parsed.ok ? parsed.allow : allowNothing

const rule = (host: string, port: number, allow = allowNothing) =>
  smtpTargetProblem({ host, port }, { allow })?.rule ?? null

describe('the target of an smtp check', () => {
  test.each<[string, number, string | null]>([
    ['mx.example.com', 25, null],
    ['mx.example.com', 24, 'url_port'],
    ['mx.example.com', 26, 'url_port'],
    ['mx.example.com', 465, null],
    ['mx.example.com', 466, 'url_port'],
    ['mx.example.com', 587, null],
    ['mx.example.com', 588, 'url_port'],
    ['mx.example.com', 2525, null],
    ['mx.example.com', 2526, 'url_port'],
    ['mx.example.com', 443, 'url_port'],
    ['mx.example.com', 6379, 'url_port'],
    ['93.184.216.34', 25, null],
    ['[2606:4700::1111]', 25, null],
    ['192.168.1.1', 25, 'address'],
    ['::ffff:192.168.1.1', 25, 'address'],
    ['localhost', 25, 'host_localhost'],
    ['mx.local', 25, 'host_internal'],
    ['mx', 25, 'host_single_label'],
    ['user@example.com', 25, 'host_name'],
  ])('%s on port %i: %s', (host, port, expected) => expect(rule(host, port)).toBe(expected))

  test.each<[string, number, string | null]>([
    ['127.0.0.1', 40_025, null],
    ['localhost', 40_025, null],
    ['mx.example.com', 40_025, 'url_port'],
    ['10.0.0.1', 25, 'address'],
  ])('with loopback allowed, %s on port %i: %s', (host, port, expected) => {
    expect(rule(host, port, opened)).toBe(expected)
  })

  test('a refusal lists the allowed ports', () => {
    const settings = { host: 'mx.example.com', port: 26 }
    expect(smtpTargetProblem(settings, { allow: allowNothing })?.message).toBe(
      'the port 26 is not allowed: use 25, 465, 587, 2525',
    )
  })
})
