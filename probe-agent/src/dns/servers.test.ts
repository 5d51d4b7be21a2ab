import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseResolverAddress } from '@probe-mesh/contracts/target/dns-target'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, test } from 'vitest'
import { readServers, withZones, type ServerList } from './servers.ts'

const folder = testFolder('servers-')
const before: ServerList = { servers: ['192.0.2.1'], rotate: true, tcpOnly: false }
const fileWith = (text: string): string => {
  const path = join(folder, 'resolv.conf')
  writeFileSync(path, text)
  return path
}

test.each<[string, () => string]>([
  ['cannot be read', () => folder],
  ['is empty while it is written', () => fileWith('')],
  ['names no server', () => fileWith('# nameserver 192.0.2.9\nsearch example.org\n')],
])('a resolv.conf that %s changes nothing, but counts at the start', (_, path) => {
  expect(readServers(before, path())).toBe(before)
  expect(readServers(undefined, path()).servers).not.toEqual([])
})

test('a resolv.conf that names servers counts, and so does none', () => {
  expect(readServers(before, fileWith('nameserver 192.0.2.9\n'))).toMatchObject({ rotate: false })
  expect(readServers(before, join(folder, 'none'))).toMatchObject({ rotate: false })
})

test('servers of a link have their zone, which Node omits', () => {
  const text =
    'nameserver fe80:0::1%eth0\n nameserver 192.0.2.1\nnameserver fe80::1%2\nnameserver 2001:db8::1'
  const servers = withZones(['fe80::1', '192.0.2.1', 'fe80::1', 'fe80::2', '2001:db8::1'], text)
  expect(servers).toEqual(['fe80::1%eth0', '192.0.2.1', 'fe80::1%2', 'fe80::2', '2001:db8::1'])
  expect(parseResolverAddress('fe80::1%eth0')).toEqual({ address: 'fe80::1%eth0', port: 53 })
})
