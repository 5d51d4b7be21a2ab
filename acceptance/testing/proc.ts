/**
 * Parses Linux's statistics of processes: `proc(5)`. A process includes its descendants, because Postgres has
 * a process for each connection.
 */

/** The kernel's clock ticks per second in these files, the same on every platform of Node. */
const ticksPerSecond = 100

export type ProcessStat = {
  pid: number
  parent: number
  /** User and system time, including the children it has waited for. */
  cpuSeconds: number
}

/**
 * `/proc/<pid>/stat`: pid (command) state parent ...; the command may contain any characters, also brackets.
 */
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
  /** The part in files and shared memory, which other processes may share. */
  sharedKiB: number
  /** The peak of resident memory. */
  peakKiB: number
}

/** `/proc/<pid>/status`. An ending process has no memory. */
export const parseStatus = (text: string): ProcessMemory => {
  const kibibytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0)
  return {
    residentKiB: kibibytes('VmRSS'),
    sharedKiB: kibibytes('RssFile') + kibibytes('RssShmem'),
    peakKiB: kibibytes('VmHWM'),
  }
}

/** A process and its descendants. */
export const treeOf = (root: number, stats: readonly ProcessStat[]): ProcessStat[] => {
  const tree = stats.filter(({ pid }) => pid === root)
  for (const member of tree) tree.push(...stats.filter(({ parent }) => parent === member.pid))
  return tree
}

/** The memory of a tree. Shared memory counts once, at its maximum. */
export const treeMemory = (members: readonly ProcessMemory[]): { mib: number; peakMib: number } => {
  const shared = Math.max(0, ...members.map(({ sharedKiB }) => sharedKiB))
  const own = (of: (one: ProcessMemory) => number): number =>
    members.reduce((sum, one) => sum + Math.max(0, of(one) - one.sharedKiB), 0)
  return {
    mib: (own((one) => one.residentKiB) + shared) / 1_024,
    peakMib: (own((one) => one.peakKiB) + shared) / 1_024,
  }
}
