import { readFileSync, readdirSync } from 'node:fs'
import {
  parseStat,
  parseStatus,
  treeMemory,
  treeOf,
  type ProcessStat,
} from '@probe-mesh/acceptance/testing/proc'

/** CPU since its start, and memory, of a process with all its children. */
export type TreeUsage = { cpuSeconds: number; mib: number; peakMib: number }

/** @returns usage by name @throws Error where there is no /proc, or a process has ended */
export const usageOf = (roots: Readonly<Record<string, number>>): Record<string, TreeUsage> => {
  const stats = allStats()
  return Object.fromEntries(
    Object.entries(roots).map(([name, root]) => {
      const tree = treeOf(root, stats)
      if (tree.length === 0) throw new Error(`${name} (process ${root}) has ended`)
      const memory = treeMemory(tree.map(({ pid }) => parseStatus(read(pid, 'status'))))
      return [name, { cpuSeconds: tree.reduce((sum, one) => sum + one.cpuSeconds, 0), ...memory }]
    }),
  )
}

/** Proportional set size (`proc_pid_smaps`) of a process with all its children: shared pages count once. MiB. */
export const memoryOfTree = (root: number): number => {
  const tree = treeOf(root, allStats())
  const kib = tree.map(({ pid }) => Number(/^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0))
  return kib.reduce((sum, one) => sum + one, 0) / 1_024
}

/** The child of this process with `mark` in its command line or environment. */
export const childWith = (mark: string): number => {
  const child = allStats()
    .filter(({ parent }) => parent === process.pid)
    .find(({ pid }) => `${read(pid, 'cmdline')}\0${read(pid, 'environ')}`.includes(mark))
  if (child === undefined) throw new Error(`no process with ${mark}`)
  return child.pid
}

const allStats = (): ProcessStat[] =>
  readdirSync('/proc').flatMap((name) => {
    const text = /^\d+$/.test(name) ? read(Number(name), 'stat') : ''
    return text === '' ? [] : [parseStat(text)]
  })

/** Empty for a process that has ended. */
const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
