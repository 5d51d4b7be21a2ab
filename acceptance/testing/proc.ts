/**
 * What Linux says of its processes, taken apart: `proc(5)`. A process is counted with all
 * that it started: Postgres is a process for each connection.
 */

/** The kernel's clock ticks a second in these files: the same on every platform of Node. */
const ticksPerSecond = 100

export type ProcessStat = {
  pid: number
  parent: number
  /** User and system, its own and that of the children it has waited for. */
  cpuSeconds: number
}

/** `/proc/<pid>/stat`: pid (command) state parent ...; the command may hold anything, brackets too. */
export const parseStat = (text: string): ProcessStat => {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(fields[1]),
    cpuSeconds: ticks / ticksPerSecond,
  }
}

export type ProcessMemory = {
  residentKiB: number
  /** Of that: files and shared memory, which other processes may have too. */
  sharedKiB: number
  /** The most that was ever resident. */
  peakKiB: number
}

/** `/proc/<pid>/status`. A process that is ending has no memory any more. */
export const parseStatus = (text: string): ProcessMemory => {
  const kibibytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0)
  return {
    residentKiB: kibibytes('VmRSS'),
    sharedKiB: kibibytes('RssFile') + kibibytes('RssShmem'),
    peakKiB: kibibytes('VmHWM'),
  }
}

/** A process and all that descend from it. */
export const treeOf = (root: number, stats: readonly ProcessStat[]): ProcessStat[] => {
  const tree = stats.filter(({ pid }) => pid === root)
  for (const member of tree) tree.push(...stats.filter(({ parent }) => parent === member.pid))
  return tree
}

/** What a tree takes: what is shared counts once, at its largest. */
export const treeMemory = (members: readonly ProcessMemory[]): { mib: number; peakMib: number } => {
  const shared = Math.max(0, ...members.map(({ sharedKiB }) => sharedKiB))
  const own = (of: (one: ProcessMemory) => number): number =>
    members.reduce((sum, one) => sum + Math.max(0, of(one) - one.sharedKiB), 0)
  return {
    mib: (own((one) => one.residentKiB) + shared) / 1_024,
    peakMib: (own((one) => one.peakKiB) + shared) / 1_024,
  }
}
