import { readFileSync, readdirSync } from 'node:fs'
import type { Part } from '@probe-mesh/infra/testing/processes/part'
import { parseStatus, treeMemory } from '../../testing/proc.ts'

/** What one part had at one instant. */
export type Sample = {
  /** Unix ms. */
  at: number
  part: string
  /** Of the process that was started: another number is another life. */
  pid: number
  /** Resident memory of all its processes; what they share counts once. */
  mib: number
  descriptors: number
}

/** One sample of each part that lives. */
export const sampleParts = (parts: readonly Part[], at: number): Sample[] =>
  parts.flatMap((part) => {
    const pids = part.processIds()
    const [pid] = pids
    if (pid === undefined) return []
    const { mib } = treeMemory(pids.map((one) => parseStatus(readStatus(one))))
    const descriptors = pids.reduce((sum, one) => sum + countDescriptors(one), 0)
    // it ended in between
    return mib === 0 ? [] : [{ at, part: part.name, pid, mib, descriptors }]
  })

const readStatus = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

const countDescriptors = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}
