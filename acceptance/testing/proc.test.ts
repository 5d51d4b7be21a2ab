import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseStat, parseStatus, treeMemory, treeOf } from './proc.ts'

const statOf = (pid: number, parent: number, command = 'node'): string =>
  `${pid} (${command}) S ${parent} 1 1 0 -1 4194560 100 0 0 0 250 50 70 30 20 0 11 0 12345 1 2 3`

test('CPU time of a process includes the children it waited for', () => {
  expect(parseStat(statOf(42, 7))).toEqual({ pid: 42, parent: 7, cpuSeconds: 4 })
})

test.each(['a b', 'x) S 99', '((', ''])('a command named %j does not shift the fields', (name) => {
  expect(parseStat(statOf(42, 7, name))).toEqual({ pid: 42, parent: 7, cpuSeconds: 4 })
})

test('memory is read in KiB, and a process without any has none', () => {
  const text = 'Name:\tnode\nVmHWM:\t  900 kB\nVmRSS:\t  800 kB\nRssFile:\t 30 kB\nRssShmem:\t 5 kB\n'
  expect(parseStatus(text)).toEqual({ residentKiB: 800, sharedKiB: 35, peakKiB: 900 })
  expect(parseStatus('Name:\tnode\nState:\tZ\n')).toEqual({
    residentKiB: 0,
    sharedKiB: 0,
    peakKiB: 0,
  })
})

test('a tree contains only children and their descendants', () => {
  const of = (pid: number, parent: number) => ({ pid, parent, cpuSeconds: 0 })
  const stats = [of(5, 3), of(1, 0), of(2, 1), of(3, 2), of(4, 1)]
  expect(treeOf(2, stats).map(({ pid }) => pid)).toEqual([2, 3, 5])
  expect(treeOf(9, stats)).toEqual([])
})

test('shared memory counts once', () => {
  const backend = { residentKiB: 5_120, sharedKiB: 3_072, peakKiB: 6_144 }
  expect(treeMemory([backend, backend])).toEqual({ mib: 7, peakMib: 9 })
  expect(treeMemory([])).toEqual({ mib: 0, peakMib: 0 })
})

test.runIf(process.platform === 'linux')('reads this process as the kernel reports it', () => {
  const stat = parseStat(readFileSync('/proc/self/stat', 'utf8'))
  expect(stat).toMatchObject({ pid: process.pid, parent: process.ppid })
  expect(stat.cpuSeconds).toBeGreaterThan(0)
  expect(parseStatus(readFileSync('/proc/self/status', 'utf8')).residentKiB).toBeGreaterThan(1_024)
})
