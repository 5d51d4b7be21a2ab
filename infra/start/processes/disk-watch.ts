import { diskLevel, readDiskSpace, type DiskSpace } from '@probe-mesh/runtime/disk-space'
import { createMetrics } from '@probe-mesh/runtime/metrics'
import { startLoop } from '@probe-mesh/runtime/loop'
import type { Registry } from 'prom-client'

const paceMs = 15_000

/** The disk of an agent's spool: in the metrics, and a problem in a sentence when it is nearly full. */
export const watchDisk = (
  path: string,
  registry: Registry,
): { problem(): string | null; close(): Promise<void> } => {
  let space: DiskSpace | null = null
  const { readGauge } = createMetrics(registry, 'probe_mesh_agent_')
  readGauge('disk_free_bytes', 'Free space on the disk of the spool', () => space?.freeBytes ?? 0)
  readGauge('disk_size_bytes', 'Size of the disk of the spool', () => space?.totalBytes ?? 0)
  const loop = startLoop({
    everyMs: paceMs,
    round: async () => {
      space = await readDiskSpace(path)
    },
    // the spool itself reports a disk that cannot be used
    onError: () => undefined,
  })
  return {
    problem: () =>
      space !== null && diskLevel(space) === 'full'
        ? `the disk of ${path} has ${Math.round(space.freeBytes / 1e6)} MB free, so readings may be lost: free space there`
        : null,
    close: loop.close,
  }
}
