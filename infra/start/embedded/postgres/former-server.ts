import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { becomesTrue } from '../bounded.ts'
import { commandLine } from '../command-line.ts'
import type { Log } from '../log.ts'

/** How long a server without an owner may take to shut down by itself, and after a signal to quit. */
const shutdownWaitMs = 20_000
const quitWaitMs = 10_000
const pollMs = 50

/** The content of `postmaster.pid`: the process id, and `ready` once the server accepts connections. */
export type Postmaster = { readonly pid: number; readonly status: string }

/** Null if the file does not exist or is incomplete. */
export const readPostmaster = async (cluster: string): Promise<Postmaster | null> => {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  return parsePostmaster(text)
}

export const parsePostmaster = (text: string): Postmaster | null => {
  const lines = text.split('\n')
  const pid = Number(lines[0])
  // A standalone backend writes a negative pid.
  return Number.isInteger(pid) && pid !== 0 ? { pid: Math.abs(pid), status: lines[7]?.trim() ?? '' } : null
}

/**
 * Ends the server of a killed owner before a new one starts. A running server gets time to shut down and is
 * then made to quit. A file that names a process which is not a server of this cluster (it ended, or its id
 * was reused) is removed. The caller holds the lock of the data directory, so a server found here has no
 * owner.
 */
export const endFormerServer = async (cluster: string, log: Log): Promise<void> => {
  const former = await readPostmaster(cluster)
  if (former === null) return
  const { pid } = former
  const isGone = async () => !(await servesCluster(pid, cluster))
  if (!(await isGone())) {
    log.info({ pid }, 'waiting for the previous Postgres to shut down')
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      send(pid, signal)
      const waitMs = signal === 'SIGINT' ? shutdownWaitMs : quitWaitMs
      if (await becomesTrue(isGone, { waitMs, everyMs: pollMs })) break
      log.warn({ pid, signal }, 'the previous Postgres still runs: sending a signal')
    }
    if (!(await isGone())) throw new Error(`Postgres ${pid} holds ${cluster} and does not end`)
  }
  // An orderly shutdown removes the file; Postgres refuses a stale one if its pid is in use.
  const left = await readPostmaster(cluster)
  if (left?.pid === pid) await rm(join(cluster, 'postmaster.pid'), { force: true })
}

const servesCluster = async (pid: number, cluster: string): Promise<boolean> => {
  const line = await commandLine(pid)
  return line !== null && `${line} `.includes(` -D ${cluster} `)
}

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has just ended, as intended, or it is not ours, which the wait will show.
  }
}
