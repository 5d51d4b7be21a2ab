import { execFile } from 'node:child_process'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { promisify } from 'node:util'

/** The machine of a run. Figures of different machines are never compared. */
export type Machine = {
  cpu: string
  cores: number
  memoryGiB: number
  platform: string
  node: string
  /** Load average of the last minute before the bench. */
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

/** Results and documents do not change any figure. */
const notMeasured = ['bench/results/**', 'bench/gate.json', '**/*.md'].map(
  (path) => `:(top,exclude,glob)${path}`,
)

/** What git prints. @param folder anywhere in the repository */
export const gitOutput = async (folder: string, ...args: string[]): Promise<string> => {
  const flags = ['--no-optional-locks', '-C', folder, ...args]
  return (await promisify(execFile)('git', flags, { maxBuffer: 2 ** 26 })).stdout.trim()
}

/**
 * The current commit, with `+` if any other file differs from it; null outside a repository.
 * @param folder anywhere in the repository
 */
export const describeCommit = async (folder = import.meta.dirname): Promise<string | null> => {
  try {
    const commit = await gitOutput(folder, 'rev-parse', '--short', 'HEAD')
    const changes = await gitOutput(folder, 'status', '--porcelain', '--', ':/', ...notMeasured)
    return changes === '' ? commit : `${commit}+`
  } catch {
    return null
  }
}

/** The newest of some commits, as lines for people, and how many there are. */
export type Commits = { newest: readonly string[]; count: number }

const newestMax = 20

/**
 * The commits after this one that change more than tests below these paths of the repository.
 * @returns null where the repository lacks that commit
 */
export const commitsSince = async (
  commit: string,
  paths: readonly string[],
  folder = import.meta.dirname,
): Promise<Commits | null> => {
  const changed = [...paths.map((path) => `:(top)${path}`), ':(top,exclude,glob)**/*.test.ts']
  try {
    const log = await gitOutput(
      folder,
      'log',
      '--no-merges',
      '--format=%h %cs %s',
      `${commit}..`,
      '--',
      ...changed,
    )
    const lines = log === '' ? [] : log.split('\n')
    return { newest: lines.slice(0, newestMax), count: lines.length }
  } catch {
    return null
  }
}
