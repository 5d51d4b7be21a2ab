import { execFile } from 'node:child_process'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { promisify } from 'node:util'

/** What a figure was measured on: figures of different machines are never compared. */
export type Machine = {
  cpu: string
  cores: number
  memoryGiB: number
  platform: string
  node: string
  /** How busy it was before the bench, over the last minute. */
  loadAverage: number
}

export const describeMachine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  platform: `${process.platform}-${process.arch}`,
  node: process.versions.node,
  loadAverage: Number((loadavg()[0] ?? 0).toFixed(2)),
})

/** The commit measured, with `+` where files differ from it; null outside a repository. */
export const describeCommit = async (): Promise<string | null> => {
  const git = async (...args: string[]): Promise<string> => {
    const flags = ['--no-optional-locks', '-C', import.meta.dirname, ...args]
    return (await promisify(execFile)('git', flags)).stdout.trim()
  }
  try {
    const commit = await git('rev-parse', '--short', 'HEAD')
    return (await git('status', '--porcelain')) === '' ? commit : `${commit}+`
  } catch {
    return null
  }
}
