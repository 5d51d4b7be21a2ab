import { readFileSync, readdirSync } from 'node:fs'
import type { Part } from '@probe-mesh/infra/testing/processes/part'
import { parseStatus, treeMemory } from '../../testing/proc.ts'

/** The resources of one part at one instant. */
export type Sample = {
  /** Unix ms. */
  at: number
  part: string
  /** The pid of the started process; it changes with each start. */
  pid: number
  /** Resident memory of all its processes; shared memory counts once. */
  mib: number
  descriptors: number
}

/** Takes one sample of each running part. */
export const sampleParts = (parts: readonly Part[], at: number): Sample[] =>
  parts.flatMap((part) => {
    const pids = part.processIds()
    const [pid] = pids
    if (pid === undefined) return []
    const { mib } = treeMemory(pids.map((one) => parseStatus(readStatus(one))))
    const descriptors = pids.reduce((sum, one) => sum + countDescriptors(one), 0)
    // it ended in the meantime
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
