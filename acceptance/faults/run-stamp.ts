import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export type RunStamp = { date: string; machine: string; commit: string }

/** @param at Unix ms */
export const runStamp = (at: number): RunStamp => ({
  date: new Date(at).toISOString().slice(0, 10),
  machine: machine(),
  commit: commit(),
})

const machine = (): string => {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} cores (${first?.model.trim() ?? 'unknown'}), ${memory} GB, Node ${process.versions.node}`
}

const commit = (): string => {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).toString().trim()
  } catch {
    return 'a source tree without Git history'
  }
}
